headstack storyline 1
drive small
host 7 adapter asynchronous
host 6 adapter asynchronous
host 5 adapter asynchronous
+0 h1 command 2A000000028000000100 simple:0  # WRITE(10) 640 +1
+0 h1 command 0800025E0100 simple:0  # READ(6) 606 +1
+0 h1 command 2A000000037A00000100 simple:0  # WRITE(10) 890 +1
+0 h0 command 2A000000026C00000100 simple:0  # WRITE(10) 620 +1
+0 h1 command 151000001000 simple:0 out=000000000A0A00100000000000000000  # MODE SELECT(6)
+0 h0 command 151000001000 out=000000000A0A00000000000000000000  # MODE SELECT(6)
+0 h2 command 28000000027300000100 simple:1  # READ(10) 627 +1
+0 h1 command 2A000000028600000100 simple:1  # WRITE(10) 646 +1
+0 h1 command 2A000000027700001700 simple:0  # WRITE(10) 631 +23
+0 h2 command 2A000000026F00001E00 simple:1  # WRITE(10) 623 +30
+0 h1 command 28000000028500000100 simple:1  # READ(10) 645 +1
