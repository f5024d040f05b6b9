headstack storyline 1
drive small
host 15 raw asynchronous
+0 h0 command 74E5AF57B042 noatn  # operation code 74h
+0 h0 command 2A00000005FF00000100  # WRITE(10) 1535 +1
