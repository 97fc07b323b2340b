# The Ivy cube: six centres (1 to 6: U R F D L B), which the turns of four corners exchange, three at a time.
UFR := (1,2,3)(7,8,9);
UBL := (1,5,6)(10,11,12);
DFL := (4,5,3)(13,14,15);
DBR := (4,2,6)(16,17,18);
