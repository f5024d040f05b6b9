headstack storyline 1
drive small
host 5 raw asynchronous
host 15 adapter asynchronous
+0 h1 command 2F000000055200000100  # VERIFY(10) 1362 +1
+0 h0 command 2A000000054C00000100  # WRITE(10) 1356 +1
+0 h0 command 28080000056E00000100 lun=4 opening=C0C0  # READ(10) 1390 +1 FUA
+0 h1 await 0
+60000 h0 command 8A080000000000000542000000010000  # WRITE(16) 1346 +1 FUA
+6000 h1 await 6
+0 h0 abort-tag tag=7
