headstack storyline 1
drive small
host 6 raw asynchronous
+0 h0 command 2A00000003A200000100 simple:5  # WRITE(10) 930 +1
+0 h0 command 28000000086D00000500 simple:4 nosense  # READ(10) 2157 +5
+0 h0 command 28000000039200000100 simple:2 opening=C3  # READ(10) 914 +1
