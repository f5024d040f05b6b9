headstack storyline 1
drive spared
host 5 adapter asynchronous
+0 h0 command 0A0001010100 simple:8  # WRITE(6) 257 +1
+0 h0 command 28000000010700000100 simple:18  # READ(10) 263 +1
+0 h0 command 2A00000004F500000600 simple:0  # WRITE(10) 1269 +6
+0 h0 command 2A000000010800000100 head:6  # WRITE(10) 264 +1
+0 h0 command 151000001800 simple:3 out=0000000008120400FFFF00000021FFFF2004001500000000  # MODE SELECT(6)
+0 h0 command 2A000000007E00000C00 head:2  # WRITE(10) 126 +12
