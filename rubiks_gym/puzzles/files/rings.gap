# Two rings of four tokens that cross at two places.
A := (1,2,3,4);
B := (3,4,5,6);
