headstack storyline 1
drive cheetah_9lp
host 7 adapter asynchronous
host 6 adapter asynchronous
host 5 adapter asynchronous
host 4 adapter asynchronous
+0 h3 command 000000000000 simple:free  # TEST UNIT READY
+0 h0 command 55100000000000001800 simple:free out=0000000000000000020E404000000000000000000B000000  # MODE SELECT(10)
+0 h0 command 55100000000000001400 simple:free out=0000000000000000010A84050000000005000000  # MODE SELECT(10)
+0 h1 command 28000084BD2300000100 simple:free  # READ(10) 8699171 +1
+0 h2 command 2800010D720900000100 simple:free  # READ(10) 17658377 +1
+0 h1 command 28000084BD3000000100 simple:free  # READ(10) 8699184 +1
+0 h1 command 28000084BD2A00000100 simple:free  # READ(10) 8699178 +1
+0 h2 command 2A00010D720600000100 simple:free  # WRITE(10) 17658374 +1
+0 h1 command 1B0000000000 simple:free  # START STOP UNIT stop
+0 h3 command 070000000000 simple:free out=000000040084BD24  # REASSIGN BLOCKS
+0 h3 command 28180084BD2C00000100 simple:free nosense  # READ(10) 8699180 +1 FUA DPO
+0 h3 command 28000084BD2800000100 simple:free nosense  # READ(10) 8699176 +1
+0 h3 command 28000084BD2200000100 simple:free nosense  # READ(10) 8699170 +1
+9516398 h3 command 28000084BD2F00009500 simple:free nosense  # READ(10) 8699183 +149
+352551 h3 command 28000084BD3000000500 simple:free  # READ(10) 8699184 +5
+0 h2 command 2800010D71FE00000800 simple:free  # READ(10) 17658366 +8
+0 h1 command 2A080084BD3000000700 ordered:free  # WRITE(10) 8699184 +7 FUA
