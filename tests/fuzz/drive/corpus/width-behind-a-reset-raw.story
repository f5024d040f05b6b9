headstack storyline 1
drive small
spindle at-rest
host 5 raw asynchronous
+0 h0 command 2A000000070A00000100 message=01020302  # WRITE(10) 1802 +1
+20000000 h0 command 3540000006FF00000200  # SYNCHRONIZE CACHE(10) 1791 +2
