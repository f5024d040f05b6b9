headstack storyline 1
drive small
host 5 adapter asynchronous
+0 h0 command 2A00000006B200000100  # WRITE(10) 1714 +1
+0 h0 command 2F00000006B500000100  # VERIFY(10) 1717 +1
+0 h0 command 0A0006B20100 simple:5 message=20E0  # WRITE(6) 1714 +1
