headstack storyline 1
drive small
host 7 raw asynchronous
host 6 adapter asynchronous
host 5 raw asynchronous
+0 h0 command 2A00000004CA00000100 message=01020302  # WRITE(10) 1226 +1
+0 h1 command 35000000000000000000 simple:24  # SYNCHRONIZE CACHE(10) 0 to the end
+0 h2 command 2A00000004C600000100 opening=C73E9D0C70  # WRITE(10) 1222 +1
