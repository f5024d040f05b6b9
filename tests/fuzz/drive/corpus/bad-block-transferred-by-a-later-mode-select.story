headstack storyline 1
drive small
host 7 adapter asynchronous
host 6 adapter asynchronous
flaw unreadable 106
+0 h0 command 000000000000
+0 h0 await 0
+0 h1 command 000000000000
+0 h1 await 0
+0 h0 command 000000000000
+0 h0 await 0
+0 h1 command 000000000000
+0 h1 await 0
+0 h0 command 55100000000000001400 out=0000000000000000010a00030000000000000000
+0 h0 await 0
+0 h1 command 000000000000
+0 h1 await 0
+1000000 h0 command 28000000006400000800 simple:1
+0 h1 command 120000002400 in=36 simple:0
+0 h1 command 120000002400 in=36 simple:1
+0 h1 command 120000002400 in=36 simple:2
+0 h1 command 120000002400 in=36 simple:3
+0 h1 command 120000002400 in=36 simple:4
+0 h1 command 120000002400 in=36 simple:5
+0 h1 command 120000002400 in=36 simple:6
+0 h1 command 120000002400 in=36 simple:7
+0 h1 command 120000002400 in=36 simple:8
+0 h1 command 120000002400 in=36 simple:9
+0 h1 command 120000002400 in=36 simple:10
+0 h1 command 120000002400 in=36 simple:11
+0 h1 command 120000002400 in=36 simple:12
+0 h1 command 120000002400 in=36 simple:13
+0 h1 command 120000002400 in=36 simple:14
+0 h1 command 120000002400 in=36 simple:15
+0 h1 command 120000002400 in=36 simple:16
+0 h1 command 120000002400 in=36 simple:17
+0 h1 command 120000002400 in=36 simple:18
+0 h1 command 120000002400 in=36 simple:19
+0 h1 command 120000002400 in=36 simple:20
+0 h1 command 120000002400 in=36 simple:21
+0 h1 command 120000002400 in=36 simple:22
+0 h1 command 120000002400 in=36 simple:23
+0 h1 command 120000002400 in=36 simple:24
+0 h1 command 120000002400 in=36 simple:25
+0 h1 command 120000002400 in=36 simple:26
+0 h1 command 120000002400 in=36 simple:27
+0 h1 command 120000002400 in=36 simple:28
+0 h1 command 120000002400 in=36 simple:29
+0 h1 command 120000002400 in=36 simple:30
+0 h1 command 120000002400 in=36 simple:31
+0 h1 command 120000002400 in=36 simple:32
+0 h1 command 120000002400 in=36 simple:33
+0 h1 command 120000002400 in=36 simple:34
+0 h1 command 120000002400 in=36 simple:35
+0 h1 command 120000002400 in=36 simple:36
+0 h1 command 120000002400 in=36 simple:37
+0 h1 command 120000002400 in=36 simple:38
+0 h1 command 120000002400 in=36 simple:39
+0 h1 command 120000002400 in=36 simple:40
+0 h1 command 120000002400 in=36 simple:41
+0 h1 command 120000002400 in=36 simple:42
+0 h1 command 120000002400 in=36 simple:43
+0 h1 command 120000002400 in=36 simple:44
+0 h1 command 120000002400 in=36 simple:45
+0 h1 command 120000002400 in=36 simple:46
+0 h1 command 120000002400 in=36 simple:47
+0 h1 command 120000002400 in=36 simple:48
+0 h1 command 120000002400 in=36 simple:49
+0 h1 command 120000002400 in=36 simple:50
+0 h1 command 120000002400 in=36 simple:51
+0 h1 command 120000002400 in=36 simple:52
+0 h1 command 120000002400 in=36 simple:53
+0 h1 command 120000002400 in=36 simple:54
+0 h1 command 120000002400 in=36 simple:55
+0 h1 command 120000002400 in=36 simple:56
+0 h1 command 120000002400 in=36 simple:57
+0 h1 command 120000002400 in=36 simple:58
+0 h1 command 120000002400 in=36 simple:59
+0 h1 command 120000002400 in=36 simple:60
+0 h1 command 120000002400 in=36 simple:61
+0 h1 command 120000002400 in=36 simple:62
+0 h1 command 120000002400 in=36 simple:63
+0 h1 command 120000002400 in=36 simple:64
+0 h1 command 120000002400 in=36 simple:65
+0 h1 command 120000002400 in=36 simple:66
+0 h1 command 120000002400 in=36 simple:67
+0 h1 command 120000002400 in=36 simple:68
+0 h1 command 120000002400 in=36 simple:69
+0 h1 command 120000002400 in=36 simple:70
+0 h1 command 120000002400 in=36 simple:71
+0 h1 command 120000002400 in=36 simple:72
+0 h1 command 120000002400 in=36 simple:73
+0 h1 command 120000002400 in=36 simple:74
+0 h1 command 120000002400 in=36 simple:75
+0 h1 command 120000002400 in=36 simple:76
+0 h1 command 120000002400 in=36 simple:77
+0 h1 command 120000002400 in=36 simple:78
+0 h1 command 120000002400 in=36 simple:79
+0 h1 command 120000002400 in=36 simple:80
+0 h1 command 120000002400 in=36 simple:81
+0 h1 command 120000002400 in=36 simple:82
+0 h1 command 120000002400 in=36 simple:83
+0 h1 command 120000002400 in=36 simple:84
+0 h1 command 120000002400 in=36 simple:85
+0 h1 command 120000002400 in=36 simple:86
+0 h1 command 120000002400 in=36 simple:87
+0 h1 command 120000002400 in=36 simple:88
+0 h1 command 120000002400 in=36 simple:89
+0 h1 command 120000002400 in=36 simple:90
+0 h1 command 120000002400 in=36 simple:91
+0 h1 command 120000002400 in=36 simple:92
+0 h1 command 120000002400 in=36 simple:93
+0 h1 command 120000002400 in=36 simple:94
+0 h1 command 120000002400 in=36 simple:95
+0 h1 command 55100000000000001400 out=0000000000000000010a20030000000000000000 simple:96
+0 h0 await 0
