headstack storyline 1
drive small
host 7 adapter asynchronous
+0 h0 command 2800000003C000000100 simple:0  # READ(10) 960 +1
+0 h0 command 151000001000 simple:0 out=000000000A0A00060000000000000000  # MODE SELECT(6)
+8000000 h0 command 2A00000003BB00000100 simple:0  # WRITE(10) 955 +1
+3000000 h0 command 2800000003BC10000100 simple:1  # READ(10) 956 +1
+80000 h0 abort-tag tag=1
