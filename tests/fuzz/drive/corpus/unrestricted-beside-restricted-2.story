headstack storyline 1
drive small
host 5 adapter asynchronous
host 15 adapter asynchronous
host 1 adapter asynchronous
+0 h0 command 000000000000  # TEST UNIT READY
+0 h2 command 000000000000  # TEST UNIT READY
+0 h2 await 0
+0 h2 command 151000001000 simple:20 out=000000000A0A00000000000000000000  # MODE SELECT(6)
+0 h2 command 28000000006300000100 simple:29  # READ(10) 99 +1
+0 h0 command 151000001000 simple:10 out=000000000A0A00100000000000000000  # MODE SELECT(6)
+0 h1 command 28000000006E00000100 simple:18  # READ(10) 110 +1
+0 h1 command 28000000006600000100 simple:14  # READ(10) 102 +1
+0 h1 command 28000000007300000100 simple:18 nodisc  # READ(10) 115 +1
+0 h2 command 2A000000006F00000100 simple:4  # WRITE(10) 111 +1
+0 h2 command 080000700100 simple:8  # READ(6) 112 +1
+0 h2 command 8A00000000000000006E000000080000 simple:22  # WRITE(16) 110 +8
