headstack storyline 1
drive small
host 7 adapter asynchronous
host 6 adapter asynchronous
+0 h0 command 000000000000  # TEST UNIT READY
+0 h0 command 151000001800 out=0000000008120400FFFF0000FFFFFFFF0003010000000000  # MODE SELECT(6)
+0 h1 command 88000000000000000671000000010000 simple:61  # READ(16) 1649 +1
+0 h1 command 2A000000066F00000100 simple:20  # WRITE(10) 1647 +1
+0 h1 command 0A0006A60200 simple:11  # WRITE(6) 1702 +2
+7000000 h0 command 2A00000006A700000100 simple:67 nodisc  # WRITE(10) 1703 +1
+0 h0 command 2A000000066D00000100 simple:2 nodisc  # WRITE(10) 1645 +1
