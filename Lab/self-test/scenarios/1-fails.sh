# A failed check is counted, and what follows it as well.
try 'what holds' true
try 'what does not hold' false
try 'what comes after' true
