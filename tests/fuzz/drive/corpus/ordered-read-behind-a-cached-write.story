headstack storyline 1
drive small
host 7 adapter asynchronous
host 6 adapter asynchronous
flaw unreadable 710
flaw write_fault 701 8
+0 h1 command 000000000000 simple:free  # TEST UNIT READY
+0 h0 command 55100000000000001C00 simple:free out=000000000000000008120000FFFF0000FFFFFFFF0001002800000000  # MODE SELECT(10)
+0 h0 command 55100000000000001400 simple:free out=0000000000000000010A260C000000000C000000  # MODE SELECT(10)
+0 h1 command 000000000000 simple:free  # TEST UNIT READY
+0 h0 command 2800000002C200000900 simple:free nosense  # READ(10) 706 +9
+0 h0 command 2800000002C400000300 simple:free nosense  # READ(10) 708 +3
+0 h0 command 2A00000002BD00000100 simple:free nosense  # WRITE(10) 701 +1
+0 h0 command 2A00000002BD00000100 simple:free nosense  # WRITE(10) 701 +1
+0 h0 command 2A00000002B800000700 simple:free nosense  # WRITE(10) 696 +7
+0 h1 command 2A00000002C500000100 simple:free  # WRITE(10) 709 +1
+0 h0 command 2808000002B700000100 ordered:free  # READ(10) 695 +1 FUA
+0 h0 command 2800000002C600000100 head:free nosense  # READ(10) 710 +1
