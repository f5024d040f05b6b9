headstack storyline 1
drive small
host 5 adapter asynchronous
host 15 adapter asynchronous
host 1 adapter asynchronous
+0 h0 command 0800016A0100  # READ(6) 362 +1
+0 h0 command 2800000000A100000100  # READ(10) 161 +1
+0 h1 command 28000000014000000100 simple:18  # READ(10) 320 +1
+0 h1 command 55100000000000001400 simple:3 out=00000000000000000A0A00100000000000000000  # MODE SELECT(10)
+0 h2 command 2A000000016900000100 simple:14  # WRITE(10) 361 +1
+0 h2 command 2A000000004700007000 simple:21  # WRITE(10) 71 +112
