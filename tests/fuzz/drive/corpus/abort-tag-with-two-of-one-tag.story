headstack storyline 1
drive small
host 7 raw asynchronous
+0 h0 command 2A000000082300000100 simple:8  # WRITE(10) 2083 +1
+60000000 h0 command 28000000082400000100 simple:18  # READ(10) 2084 +1
+300000 h0 command 2A000000000F00000100 simple:18  # WRITE(10) 15 +1
+20000 h0 abort-tag tag=3
