headstack storyline 1
drive small
host 6 raw asynchronous
+0 h0 command 28000000086E00000100 simple:2  # READ(10) 2158 +1
+0 h0 command 2800000001DE00000100  # READ(10) 478 +1
+0 h0 command 120000007F00 simple:143 nosense in=127  # INQUIRY
+0 h0 command 2A00000001DE00000100 simple:32 opening=C030D5B2D1  # WRITE(10) 478 +1
