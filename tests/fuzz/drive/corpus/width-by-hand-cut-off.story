headstack storyline 1
drive spared
host 6 adapter asynchronous
+26677250 h0 command 28080000019C00000100 simple:5  # READ(10) 412 +1 FUA
+0 h0 command 0A0001280300 simple:5  # WRITE(6) 296 +3
+80000 h0 command 2A000000009600000100 simple:1 message=01020302  # WRITE(10) 150 +1
+6429225 h0 await 1
+0 h0 command 12000000FF00 simple:2 in=255  # INQUIRY
+95000 h0 clear-queue
+0 h0 await 5
+0 h0 command 2A000000077D00000500 simple:2  # WRITE(10) 1917 +5
