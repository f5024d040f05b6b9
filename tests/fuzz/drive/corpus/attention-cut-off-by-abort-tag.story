headstack storyline 1
drive small
host 5 raw asynchronous
+0 h0 command 2800000007AF00000100 simple:133 say=status:0:0:0D  # READ(10) 1967 +1
