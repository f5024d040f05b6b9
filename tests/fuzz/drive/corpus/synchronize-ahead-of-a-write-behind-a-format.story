headstack storyline 1
drive mapped
host 7 adapter asynchronous
+0 h0 command 2A000000035A00000100 simple:free  # WRITE(10) 858 +1
+0 h0 command 040000000000 simple:free  # FORMAT UNIT
+0 h0 await 0
+0 h0 command 55100000000000001C00 simple:free out=000000000000000008120500FFFF00000006FFFF0006000900000000  # MODE SELECT(10)
+0 h0 command 2A000000039300000100 simple:free  # WRITE(10) 915 +1
+0 h0 command 2A000000033400001900 simple:free  # WRITE(10) 820 +25
+0 h0 command 28000000038A00000100 head:free  # READ(10) 906 +1
+0 h0 command 35000000000000000000 head:free  # SYNCHRONIZE CACHE(10) 0 to the end
