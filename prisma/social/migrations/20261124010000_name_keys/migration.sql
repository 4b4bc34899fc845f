-- As nameKey makes them since: a sigma at the end of a word is a sigma, and ß is ss.
UPDATE "user" SET name_key = replace(replace(name_key, 'ς', 'σ'), 'ß', 'ss') WHERE name_key ~ '[ςß]';
