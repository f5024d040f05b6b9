headstack storyline 1
drive small
host 6 raw asynchronous
flaw write_fault 117
+0 h0 command 28080000006E00000100 simple:5  # READ(10) 110 +1 FUA
+0 h0 command 151000001800 simple:19 out=0000000008120400FFFF0000FFFFFFFF0001000500000000  # MODE SELECT(6)
+0 h0 command 2A000000007300000500 simple:7 say=status:0:0:87  # WRITE(10) 115 +5
