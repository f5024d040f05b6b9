headstack storyline 1
drive small
host 6 raw asynchronous
+0 h0 command 000000000000  # TEST UNIT READY
+0 h0 command 151000001800 out=0000000008120400FFFF00000000FFFF0003001000000000  # MODE SELECT(6)
+0 h0 command 2A000000017700000100  # WRITE(10) 375 +1
+0 h0 command 0A0001750300 simple:7  # WRITE(6) 373 +3
+0 h0 command 28000000017500000A00 head:2 say=message-in:1:2:06  # READ(10) 373 +10
