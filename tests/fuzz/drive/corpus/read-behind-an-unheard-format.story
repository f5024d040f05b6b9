headstack storyline 1
drive small
host 7 adapter asynchronous
host 6 adapter asynchronous
+0 h1 command 2A000000064A00000100  # WRITE(10) 1610 +1
+0 h1 command 040000000000 message=2082  # FORMAT UNIT
+0 h1 command 28000000064800000100  # READ(10) 1608 +1
+0 h1 command 88000000000000000649000000010000  # READ(16) 1609 +1
+0 h1 command 88000000000000000779000000010000  # READ(16) 1913 +1
+0 h1 await 3
+0 h1 await 3
+0 h0 command 8A000000000000000654000000010000 simple:107  # WRITE(16) 1620 +1
+0 h0 command 2A000000064C00000100 simple:77  # WRITE(10) 1612 +1
+0 h0 command 28000000064800000100 simple:3  # READ(10) 1608 +1
