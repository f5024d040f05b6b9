headstack storyline 1
drive mapped
host 6 adapter asynchronous
host 4 adapter asynchronous
+0 h0 command 2810000003E600000100 simple:free  # READ(10) 998 +1 DPO
+0 h1 command 2800000003F000000100 simple:free  # READ(10) 1008 +1
+0 h1 command 2800000003C200000100 simple:free  # READ(10) 962 +1
+0 h0 await 1
+78000 h0 command 55110000000000001800 simple:free nodisc out=0000000000000000020E00C000000009000D000000000000  # MODE SELECT(10)
