headstack storyline 1
drive small
host 6 adapter asynchronous
+0 h0 command 28000000061200000100 simple:7  # READ(10) 1554 +1
+0 h0 command 28000000064400000100 simple:7  # READ(10) 1604 +1
+0 h0 command 041000000000 simple:7 out=00800000  # FORMAT UNIT
+0 h0 command 8800000000000000062C000000010000 simple:7  # READ(16) 1580 +1
+0 h0 command 2A080000062A00000300 simple:4  # WRITE(10) 1578 +3 FUA
