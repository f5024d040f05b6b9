headstack storyline 1
drive small
host 6 adapter asynchronous
host 5 adapter asynchronous
+0 h0 command 030000001200 simple:80 in=18  # REQUEST SENSE
+0 h0 command 2800000001AD00000100 simple:74  # READ(10) 429 +1
+0 h0 command 0A0001AD0100 simple:57  # WRITE(6) 429 +1
+0 h1 command 55100000000000001400 simple:24 out=00000000000000000A0A00000000000000000000  # MODE SELECT(10)
+0 h1 command 151000001000 simple:150 out=000000000A0A00100000000000000000  # MODE SELECT(6)
