headstack storyline 1
drive small
host 6 adapter asynchronous
host 5 adapter asynchronous
host 15 adapter asynchronous
+0 h2 command 28000000060800000100  # READ(10) 1544 +1
+0 h0 command 8800000000000000039C000000010000 simple:41  # READ(16) 924 +1
+0 h1 await 3
+0 h2 abort
+0 h0 command 151000001000 simple:2 out=000000000A0A00060000000000000000  # MODE SELECT(6)
