headstack storyline 1
drive tiny
host 5 adapter asynchronous
host 15 adapter asynchronous
host 1 adapter asynchronous
+0 h1 command 000000000000  # TEST UNIT READY
+0 h2 command 000000000000  # TEST UNIT READY
+0 h1 command 040000000000 simple:60  # FORMAT UNIT
+800000000 h2 command 2A08000000D000000100  # WRITE(10) 208 +1 FUA
+0 h2 command 041000000000 simple:10 out=00820000  # FORMAT UNIT
