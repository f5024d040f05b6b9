headstack storyline 1
drive small
host 7 adapter asynchronous
+0 h0 command 000000000000  # TEST UNIT READY
+0 h0 command 8A0000000000000004B6000000010000  # WRITE(16) 1206 +1
+0 h0 command 28000000040500000100 simple:15  # READ(10) 1029 +1
