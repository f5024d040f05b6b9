headstack storyline 1
drive small
host 5 adapter asynchronous
host 15 adapter asynchronous
+0 h0 command 2A000000078900000100  # WRITE(10) 1929 +1
+0 h0 command 28000000078700000100 simple:21 message=01020301  # READ(10) 1927 +1
+0 h0 await 5
+0 h1 bus-reset
+0 h1 device-reset
