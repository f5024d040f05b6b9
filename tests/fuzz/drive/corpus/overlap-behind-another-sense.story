headstack storyline 1
drive small
host 5 raw asynchronous
+0 h0 command 2A000000070800000100 simple:0  # WRITE(10) 1800 +1
+0 h0 command 2A000000070A00000100 simple:0  # WRITE(10) 1802 +1
+0 h0 command 0A0007080100 simple:0 parity=status:0  # WRITE(6) 1800 +1
