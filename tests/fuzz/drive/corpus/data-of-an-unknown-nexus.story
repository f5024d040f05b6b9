headstack storyline 1
drive small
host 7 raw asynchronous
host 6 adapter asynchronous
+0 h1 command 2800000003AA00000100 simple:23  # READ(10) 938 +1
+0 h1 command 28000000039B00000100 simple:9  # READ(10) 923 +1
+0 h0 command 2800000003D800000100 simple:14  # READ(10) 984 +1
+8000000 h0 command 2A00000003A000005500 simple:13 opening=C04D53479F  # WRITE(10) 928 +85
