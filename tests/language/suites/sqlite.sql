-- The window queries of SQLite's test suite, test/window1.test to windowB.test (public domain). Translated: columns have types,
-- and the tables of a file are named after it; families that differ in a frame are written once, with {names}. Left out are
-- queries about plans, triggers, collations, JSON, columns of several types, and most of the statements that fuzzers found, which
-- are correlated subqueries. window3 and window8 have 40 of their rows. The rows are asked of the SQLite that Python has.

CREATE TABLE one_t1 (a int, b int, c int, d int);
INSERT INTO one_t1 VALUES (1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12);
CREATE TABLE one_t2 (a int, b int, c int);
INSERT INTO one_t2 VALUES (0, 0, 0), (1, 1, 1), (2, 0, 2), (3, 1, 0), (4, 0, 1), (5, 1, 2), (6, 0, 0);
CREATE TABLE empty4 (a int, b int);
CREATE TABLE down (x int);
INSERT INTO down VALUES (7), (6), (5), (4), (3), (2), (1);
CREATE TABLE ab (x text);
INSERT INTO ab VALUES ('b'), ('a');
CREATE TABLE xy (x int, y int);
INSERT INTO xy VALUES (1, 2), (3, 4), (5, 6), (7, 8), (9, 10);
CREATE TABLE same3 (a int, b int, c int);
INSERT INTO same3 VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5), (6, 6, 6);
CREATE TABLE trig (x int, y text);
INSERT INTO trig VALUES (1, 'g'), (2, 'i'), (3, 'l'), (4, 'g'), (5, 'a'), (6, 'm');
CREATE TABLE sales (emp text, region text, total int);
INSERT INTO sales VALUES ('Alice', 'North', 34), ('Frank', 'South', 22), ('Charles', 'North', 45), ('Darrell', 'South', 8),
  ('Grant', 'South', 23), ('Brad', 'North', 22), ('Elizabeth', 'South', 99), ('Horace', 'East', 1);
CREATE TABLE lims (id int, b text, c text);
INSERT INTO lims VALUES (1, 'A', 'one'), (2, 'B', 'two'), (3, 'C', 'three'), (4, 'D', 'one'), (5, 'E', 'two'), (6, 'F', 'three'), (7, 'G', 'one');
CREATE TABLE joined (a int, b int);
INSERT INTO joined VALUES (1, 11), (2, 12);
CREATE TABLE c1 (c int);
INSERT INTO c1 VALUES (1);
CREATE TABLE x12345 (x int);
INSERT INTO x12345 VALUES (12345);
CREATE TABLE seven (id int, a int, b int);
INSERT INTO seven VALUES (1, 1, 3), (2, 10, 4), (3, 100, 2);
CREATE TABLE eight (a int);
INSERT INTO eight VALUES (1), (2), (3);
CREATE TABLE odds (a int, b text, c text, d int);
INSERT INTO odds VALUES (1, 'odd', 'one', 1), (2, 'even', 'two', 2), (3, 'odd', 'three', 3), (4, 'even', 'four', 4), (5, 'odd', 'five', 5), (6, 'even', 'six', 6);
CREATE TABLE with_null (a int, b int);
INSERT INTO with_null VALUES (NULL, 100), (NULL, 100), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5);
CREATE TABLE ids1 (id1 int);
INSERT INTO ids1 VALUES (1), (3), (5);
CREATE TABLE ids3 (id3 int);
INSERT INTO ids3 VALUES (10), (11), (12);
CREATE TABLE minx (n int, x int);
INSERT INTO minx VALUES (1, NULL), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5);
CREATE TABLE letters (a int, b text, c text, d real);
INSERT INTO letters VALUES (1, 'A', 'aa', 2.5), (2, 'B', 'bb', 3.75), (3, 'C', 'cc', 1.0), (4, 'D', 'cc', 8.25), (5, 'E', 'bb', 6.5),
  (6, 'F', 'aa', 6.5), (7, 'G', 'aa', 6.0), (8, 'H', 'bb', 9.0), (9, 'I', 'aa', 3.75), (10, 'J', 'cc', NULL), (13, 'M', 'cc', NULL);
CREATE TABLE sums (a int, b int);
INSERT INTO sums VALUES (1, 10), (2, 15), (3, -5), (4, -5), (5, 20), (6, -11);
CREATE TABLE grouped (a text, b int);
INSERT INTO grouped VALUES ('a', 1), ('a', 2), ('a', 3), ('b', 4), ('b', 5), ('b', 6);
CREATE TABLE floats (a text, b double);
INSERT INTO floats VALUES ('1', 10.0), ('2', 5.0), ('3', 15.0);
CREATE TABLE large (a bigint);
INSERT INTO large VALUES (3578824042033200656), (3029012920382354029);
CREATE TABLE near (a int);
INSERT INTO near VALUES (45), (30);
CREATE TABLE over_t (x int, over int);
INSERT INTO over_t VALUES (1, 2), (3, 4), (5, 6);
CREATE TABLE sample (id int, counter int, value double);
INSERT INTO sample VALUES (1, 1, 10.0), (2, 1, 20.0), (3, 2, 1.0), (4, 2, 3.0), (5, 3, 100.0);
CREATE TABLE upto5 (x int);
INSERT INTO upto5 VALUES (1), (2), (3), (4), (5);
CREATE TABLE averages (x int, y int);
INSERT INTO averages VALUES (10, 1), (20, 2), (3, 3), (2, 4), (1, 5);
CREATE TABLE a2 (a int, b int);
INSERT INTO a2 VALUES (1, 2), (3, 4);
CREATE TABLE mins (a int, b text);
INSERT INTO mins VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f');
CREATE TABLE three (a int, b int);
INSERT INTO three VALUES (1, 0), (2, 74), (3, 41), (4, 74), (5, 23), (6, 99), (7, 26), (8, 33), (9, 2), (10, 89), (11, 81), (12, 96), (13, 59),
  (14, 38), (15, 68), (16, 39), (17, 62), (18, 91), (19, 46), (20, 6), (21, 99), (22, 97), (23, 27), (24, 46), (25, 78), (26, 54), (27, 97),
  (28, 8), (29, 67), (30, 29), (31, 93), (32, 84), (33, 77), (34, 23), (35, 16), (36, 16), (37, 93), (38, 65), (39, 35), (40, 47);
CREATE TABLE four_t3 (a text);
INSERT INTO four_t3 VALUES ('a'), ('b'), ('c'), ('d'), ('e'), ('f'), ('g'), ('h'), ('i'), ('j');
CREATE TABLE four_t4 (a int, b text, c int);
INSERT INTO four_t4 VALUES (1, 'A', 9), (2, 'B', 3), (3, 'C', 2), (4, 'D', 10), (5, 'E', 5), (6, 'F', 1), (7, 'G', 1), (8, 'H', 2), (9, 'I', 10), (10, 'J', 4);
CREATE TABLE tens (a int, b int);
INSERT INTO tens SELECT n % 10, n FROM (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 100) SELECT n FROM s);
CREATE TABLE w8 (a text, b text, c int);
INSERT INTO w8 VALUES ('HH', 'bb', 355), ('CC', 'aa', 158), ('BB', 'aa', 399), ('FF', 'bb', 938), ('HH', 'aa', 480), ('FF', 'bb', 870), ('JJ', 'aa', 768),
  ('JJ', 'aa', 899), ('GG', 'bb', 929), ('II', 'bb', 421), ('GG', 'bb', 844), ('FF', 'bb', 574), ('CC', 'bb', 822), ('GG', 'bb', 938), ('BB', 'aa', 660),
  ('HH', 'aa', 979), ('BB', 'bb', 792), ('DD', 'aa', 845), ('JJ', 'bb', 354), ('FF', 'bb', 295), ('JJ', 'aa', 234), ('BB', 'bb', 840), ('AA', 'aa', 934),
  ('EE', 'aa', 113), ('AA', 'bb', 309), ('BB', 'aa', 412), ('AA', 'aa', 911), ('AA', 'bb', 572), ('II', 'aa', 398), ('II', 'bb', 250), ('II', 'aa', 652),
  ('BB', 'bb', 633), ('AA', 'aa', 239), ('FF', 'aa', 670), ('BB', 'bb', 705), ('HH', 'bb', 963), ('CC', 'bb', 346), ('II', 'bb', 671), ('BB', 'aa', 247), ('AA', 'aa', 223);
CREATE TABLE wa (a int, b text, d double);
INSERT INTO wa VALUES (1, 'A', 5.4), (2, 'B', 5.55), (3, 'C', 8.0), (4, 'D', 10.25), (5, 'E', 10.26), (6, 'N', NULL), (7, 'N', NULL);
CREATE TABLE wb_nulls (a int, b int);
INSERT INTO wb_nulls VALUES (NULL, 1), (NULL, 2), (NULL, 3);
CREATE TABLE wb5 (a int, c int);
INSERT INTO wb5 VALUES (0, 421), (1, 844), (2, 1001), (NULL, 123), (NULL, 111);
CREATE TABLE wb7 (a int, c int);
INSERT INTO wb7 VALUES (NULL, 46), (NULL, 45), (7, 997), (7, 1000), (8, 997), (8, 1000);
CREATE TABLE seps (x text);
INSERT INTO seps VALUES ('1'), ('22'), ('333'), ('4444');
CREATE TABLE onetwo (i int, v text);
INSERT INTO onetwo VALUES (1, 'one'), (2, 'two');

-- window1
SELECT sum(b) OVER () FROM one_t1;
SELECT a, sum(b) OVER () FROM one_t1;
SELECT a, 4 + sum(b) OVER () FROM one_t1;
SELECT a + 4 + sum(b) OVER () FROM one_t1;
SELECT a, sum(b) OVER (PARTITION BY c) FROM one_t1;
-- each CALL: sum(b) OVER () | sum(b) OVER (PARTITION BY c) | sum(b) OVER (ORDER BY c) | sum(b) OVER (PARTITION BY d ORDER BY c) | sum(b) FILTER (WHERE a > 0) OVER (PARTITION BY d ORDER BY c) | sum(b) OVER (ORDER BY c RANGE UNBOUNDED PRECEDING) | sum(b) OVER (ORDER BY c ROWS 45 PRECEDING) | sum(b) OVER (ORDER BY c RANGE CURRENT ROW) | sum(b) OVER (ORDER BY c RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) | sum(b) OVER (ORDER BY c ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
SELECT {CALL} FROM one_t1;
-- each REST: WHERE sum(b) OVER () | GROUP BY sum(b) OVER () | GROUP BY a HAVING sum(b) OVER ()
SELECT * FROM one_t1 {REST};
-- each SORT: | ORDER BY a
SELECT a, sum(a) OVER (PARTITION BY b) FROM one_t2 {SORT};
-- each WINDOW: | ORDER BY a | PARTITION BY b ORDER BY a | PARTITION BY c ORDER BY a | PARTITION BY b ORDER BY a DESC
SELECT a, sum(a) OVER ({WINDOW}) FROM one_t2 ORDER BY a;
SELECT a, sum(a) OVER (PARTITION BY b ORDER BY a DESC), sum(a) OVER (PARTITION BY c ORDER BY a) FROM one_t2 ORDER BY a;
SELECT a, sum(a) OVER (ORDER BY a), avg(a) OVER (ORDER BY a) FROM one_t2 ORDER BY a;
SELECT a, count() OVER (ORDER BY a DESC), group_concat(CAST(a AS text), '.') OVER (ORDER BY a DESC) FROM one_t2 ORDER BY a DESC;
-- no: string_agg is for strings: write CAST(x AS string)
SELECT a, count(*) OVER (ORDER BY a DESC), group_concat(a, '.') OVER (ORDER BY a DESC) FROM one_t2 ORDER BY a DESC;
-- each TILES: 0 | -1 | 'zbc'
SELECT ntile({TILES}) OVER (ORDER BY a) FROM one_t2;
SELECT ntile(1) OVER (ORDER BY a) FROM empty4;
SELECT x, count(*) OVER (ORDER BY x) FROM down;
SELECT * FROM ab, (SELECT x, count(*) OVER (ORDER BY x) FROM down) ORDER BY 1, 2;
SELECT x, lag(x) FILTER (WHERE (x % 2) = 0) OVER w FROM down WINDOW w AS (ORDER BY x);
-- each QUERY: nth_value(x, 1) FROM xy | count(*) FROM xy WHERE nth_value(x, 1) OVER (ORDER BY y) | count(*) FROM xy GROUP BY y HAVING nth_value(x, 1) OVER (ORDER BY y) | count(*) FROM xy GROUP BY nth_value(x, 1) OVER (ORDER BY y) | count(*) FROM xy LIMIT nth_value(x, 1) OVER () | trim(x) OVER (ORDER BY y) FROM xy | max(x) OVER abc FROM xy WINDOW def AS (ORDER BY y) | row_number(x) OVER () FROM xy
SELECT {QUERY};
SELECT lead(y) OVER win, lead(y, 2) OVER win, lead(y, 3, -1) OVER win FROM xy WINDOW win AS (ORDER BY x);
SELECT row_number() OVER (ORDER BY x) FROM xy;
SELECT row_number() OVER win, lead(x) OVER win FROM xy WINDOW win AS (ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);
SELECT * FROM (SELECT sum(b) OVER (ORDER BY c), min(b) OVER (ORDER BY c), max(b) OVER (ORDER BY c) FROM same3);
SELECT * FROM (SELECT sum(b) OVER win, min(b) OVER win, max(b) OVER win FROM same3 WINDOW win AS (ORDER BY c));
-- each LAST: 5 | 6
SELECT x, y, max(y) OVER xyz FROM trig WHERE x <= {LAST} WINDOW xyz AS (PARTITION BY (x % 2) ORDER BY x) ORDER BY 1;
WITH aaa(x, y, z) AS (SELECT x, y, max(y) OVER xyz FROM trig WINDOW xyz AS (PARTITION BY (x % 2) ORDER BY x)) SELECT * FROM aaa ORDER BY 1;
WITH aaa(x, y, z) AS (SELECT x, y, max(y) OVER xyz FROM trig WINDOW xyz AS (ORDER BY x)) SELECT *, min(z) OVER (ORDER BY x) FROM aaa ORDER BY 1;
SELECT emp, region, total FROM (SELECT emp, region, total, row_number() OVER (PARTITION BY region ORDER BY total DESC) AS rank FROM sales) WHERE rank <= 2 ORDER BY region, total DESC;
-- each FRAME: | ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
SELECT emp, region, sum(total) OVER win FROM sales WINDOW win AS (PARTITION BY region ORDER BY total {FRAME});
-- each FRAME: | ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
-- each LIMIT: 5 | 5 OFFSET 2
SELECT emp, region, sum(total) OVER win FROM sales WINDOW win AS (PARTITION BY region ORDER BY total {FRAME}) ORDER BY region, total LIMIT {LIMIT};
-- no: a correlated subquery with a window
SELECT emp, region, (SELECT sum(total) OVER (ORDER BY total RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) || o.emp FROM sales LIMIT 1) FROM sales AS o;
-- no: a correlated subquery with a window
SELECT emp, region, (SELECT sum(total) FILTER (WHERE sales.emp <> o.emp) OVER (ORDER BY total RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM sales LIMIT 1) FROM sales AS o;
-- each LIMIT: 1 | 2
SELECT id, b, lead(c, 1) OVER (ORDER BY c, id) AS x FROM lims WHERE id > 1 ORDER BY b LIMIT {LIMIT};
-- each DESC: | DESC
SELECT a, rank() OVER (ORDER BY b {DESC}) FROM joined;
-- each JOINT: UNION ALL | UNION | EXCEPT | INTERSECT
SELECT a, rank() OVER (ORDER BY b) FROM joined {JOINT} SELECT a, rank() OVER (ORDER BY b DESC) FROM joined;
SELECT * FROM (SELECT * FROM (SELECT 1 AS c) WHERE c IN (SELECT (row_number() OVER ()) FROM (VALUES (0))));
SELECT y FROM (SELECT c IN (SELECT (row_number() OVER ()) FROM x12345) AS y FROM c1);
SELECT id, sum(a) OVER (PARTITION BY b IN (SELECT id FROM seven)) FROM seven;
SELECT id, sum(a) OVER w1 FROM seven WINDOW w1 AS (PARTITION BY b IN (SELECT id FROM seven));
SELECT +sum(0) OVER () ORDER BY +sum(0) OVER ();
SELECT +sum(a) OVER () FROM eight ORDER BY +sum(a) OVER () DESC;
SELECT 10 + sum(a) OVER (ORDER BY a) FROM eight ORDER BY 10 + sum(a) OVER (ORDER BY a) DESC;
-- each WINDOWS: win1 AS (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), win2 AS (win1 ORDER BY b) | win1 AS (), win2 AS (win4 ORDER BY b) | win1 AS (), win2 AS (win1 PARTITION BY d) | win1 AS (ORDER BY b), win2 AS (win1 ORDER BY d)
SELECT c, sum(d) OVER win2 FROM odds WINDOW {WINDOWS};
-- each WINDOWS: (win1 ORDER BY b) FROM odds WINDOW win1 AS (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) | (win4 ORDER BY b) FROM odds WINDOW win1 AS () | (win1 PARTITION BY d) FROM odds WINDOW win1 AS () | (win1 ORDER BY d) FROM odds WINDOW win1 AS (ORDER BY b)
SELECT c, sum(d) OVER {WINDOWS};
-- each WINDOWS: (PARTITION BY b ORDER BY c) FROM odds | (win1 ORDER BY c) FROM odds WINDOW win1 AS (PARTITION BY b) | win2 FROM odds WINDOW win1 AS (PARTITION BY b), win2 AS (win1 ORDER BY c) | (win2) FROM odds WINDOW win1 AS (PARTITION BY b), win2 AS (win1 ORDER BY c) | win5 FROM odds WINDOW win1 AS (PARTITION BY b), win2 AS (win1), win3 AS (win2), win4 AS (win3), win5 AS (win4 ORDER BY c)
SELECT group_concat(c, '.') OVER {WINDOWS};
-- each WINDOW: ORDER BY a | ORDER BY a RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING | ORDER BY a DESC RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING | ORDER BY a RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING | ORDER BY a DESC RANGE BETWEEN 1 PRECEDING AND 2 FOLLOWING
SELECT a, sum(b) OVER ({WINDOW}) FROM with_null ORDER BY a ASC;
-- each SIZE: 4.5 | NULL | 0.0 | 0.1 | -0.1 | '' | '2.0' | '2.0x' | x'1234' | '1.2'
-- each BOUNDS: {SIZE} PRECEDING AND UNBOUNDED FOLLOWING | UNBOUNDED PRECEDING AND {SIZE} FOLLOWING
-- no "'2.0' ": a text as a distance: write the number
-- no "'1.2'": a text as a distance: write the number
WITH a(x, y) AS (VALUES (1, 2)) SELECT sum(x) OVER (ORDER BY y RANGE BETWEEN {BOUNDS}) FROM a;
SELECT sum(44) OVER ();
SELECT lead(44) OVER ();
SELECT id1 FROM ids1 WHERE id1 IN (SELECT row_number() OVER (ORDER BY id3) FROM ids3);
-- no: a correlated subquery with a window
SELECT id1 FROM ids1 WHERE id1 IN (SELECT id1 + sum(1) OVER (ORDER BY id3) FROM ids3);
SELECT min(x) OVER win FROM minx WINDOW win AS (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING);
SELECT group_concat(b, '') OVER w1 FROM letters WINDOW w1 AS (ORDER BY a RANGE BETWEEN 3 PRECEDING AND 1 PRECEDING);
SELECT a, b, c, d, group_concat(b, '') OVER w1, '|' FROM letters WINDOW w1 AS (ORDER BY d DESC RANGE BETWEEN 7.0 PRECEDING AND 2.5 PRECEDING) ORDER BY c, d, a;
SELECT a, b, c, d, group_concat(b, '') OVER w1, '|' FROM letters WINDOW w1 AS (PARTITION BY c ORDER BY d DESC RANGE BETWEEN 7.0 PRECEDING AND 2.5 PRECEDING) ORDER BY c, d, a;
SELECT count() OVER win1 NOT BETWEEN 2 AND 3, count() OVER win3 FROM letters
WINDOW win1 AS (ORDER BY a GROUPS BETWEEN 4 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW), win2 AS (PARTITION BY b ORDER BY a), win3 AS (win2 RANGE BETWEEN 5.2 PRECEDING AND 1 PRECEDING);
SELECT (SELECT DISTINCT sum(a) OVER () FROM a2 ORDER BY 1), x FROM x12345 ORDER BY 1;
-- each JOINT: (VALUES (1)) INTERSECT | (VALUES (8)) EXCEPT | (VALUES (1)) UNION
SELECT * FROM {JOINT} SELECT sum(a) OVER f FROM eight WINDOW f AS (ORDER BY a) ORDER BY 1;
-- no: a window in VALUES: write SELECT
VALUES (count(*) OVER ()), (2);
SELECT FIRST_VALUE(0) OVER ();
SELECT count(*), max(a) OVER () FROM eight GROUP BY a;
-- no: beside an aggregate, DuckDB and Spark want max(b) in GROUP BY
SELECT sum(a), max(b) OVER () FROM a2;
SELECT a, sum(b), sum(sum(b)) OVER (ORDER BY a) FROM grouped GROUP BY a;
SELECT sum(b), sum(sum(b)) OVER (ORDER BY 1) FROM grouped;
-- each KEY: 2, a | abc, a | abc + 5, a
SELECT a, sum(b) OVER (ORDER BY a) AS abc FROM sums ORDER BY {KEY};
-- each ITEM: sum(b) OVER (ORDER BY a) | 1 + sum(b) OVER (ORDER BY a)
SELECT a, {ITEM} AS abc FROM sums ORDER BY (SELECT abc);
SELECT ntile(1) OVER ();
SELECT * FROM (SELECT sum(a) OVER () FROM eight UNION ALL SELECT x FROM x12345);
-- no: a correlated subquery with a window
SELECT (SELECT sum(a) OVER (ORDER BY a)) FROM eight;
-- no: a correlated subquery with a window
SELECT * FROM eight WHERE (SELECT sum(a) OVER (ORDER BY a)) > 1;
SELECT count() OVER win1, sum(d) OVER win2, first_value(d) OVER win2, count(a) OVER (ORDER BY b) FROM odds WINDOW win1 AS (ORDER BY a), win2 AS (PARTITION BY 6 ORDER BY a RANGE BETWEEN 5 PRECEDING AND 0 PRECEDING);
SELECT count() OVER (), sum(d) OVER win2, first_value(d) OVER win2, count(a) OVER (ORDER BY b) FROM odds WINDOW win1 AS (ORDER BY a), win2 AS (PARTITION BY 6 ORDER BY a RANGE BETWEEN 5 PRECEDING AND 0 PRECEDING);
SELECT * FROM (SELECT sum(b) OVER () AS c FROM floats UNION SELECT b AS c FROM floats) WHERE c > 10;
SELECT avg(a) FROM eight UNION ALL SELECT min(a) OVER () FROM joined ORDER BY nosuchcolumn;
SELECT EXISTS (SELECT count(*) OVER () FROM eight ORDER BY sum(a) OVER ());
SELECT DISTINCT a, lead(a) OVER () FROM (SELECT a FROM eight WHERE a = 1) GROUP BY a ORDER BY 2;
-- each WINDOW: ORDER BY a RANGE BETWEEN 0.3 PRECEDING AND 10 FOLLOWING | ORDER BY a RANGE BETWEEN 0.3 PRECEDING AND 0.1 PRECEDING | ORDER BY a RANGE BETWEEN 0.3 FOLLOWING AND 10 FOLLOWING | ORDER BY a DESC RANGE BETWEEN 0.3 PRECEDING AND 10 FOLLOWING | ORDER BY a NULLS LAST RANGE BETWEEN 0.3 PRECEDING AND 10 FOLLOWING | ORDER BY a RANGE BETWEEN 1.0 PRECEDING AND 2.0 PRECEDING
-- each TABLE: large | near
-- no "1.0 PRECEDING AND 2.0": as in Spark, the lower bound of a frame is not above the upper one
-- differs "0.1 PRECEDING) FROM large": SQLite takes 0.3 from a bigint as a double, which does not change it
-- differs "0.3 FOLLOWING AND 10 FOLLOWING) FROM large": SQLite takes 0.3 from a bigint as a double, which does not change it
SELECT sum(a) OVER ({WINDOW}) FROM {TABLE} ORDER BY a;
SELECT COUNT(*) FROM (SELECT SUM(0) OVER (PARTITION BY a.x) FROM x12345 a);
SELECT a.a, b.a, nth_value(15, 2) OVER () FROM eight a, eight b WHERE b.a = 3;
SELECT group_concat(x) OVER (ORDER BY y RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM (SELECT 'abc' AS x, 1 AS y);

-- window2
SELECT c, sum(d) OVER (PARTITION BY b ORDER BY c) FROM odds;
-- each WINDOW: | PARTITION BY b
SELECT sum(d) OVER ({WINDOW}) FROM odds;
-- each ORDER: ORDER BY d | PARTITION BY b ORDER BY d
-- each FRAME: 1000 PRECEDING AND 1 FOLLOWING | 1000 PRECEDING AND 1000 FOLLOWING | 1 PRECEDING AND 1000 FOLLOWING | 1 PRECEDING AND 1 FOLLOWING | 1 PRECEDING AND 0 FOLLOWING | 0 PRECEDING AND 0 FOLLOWING | CURRENT ROW AND 2 FOLLOWING | UNBOUNDED PRECEDING AND 2 FOLLOWING | 2 PRECEDING AND CURRENT ROW | 2 PRECEDING AND UNBOUNDED FOLLOWING | 3 PRECEDING AND 1 PRECEDING | 1 PRECEDING AND 0 PRECEDING | 1 PRECEDING AND 1 PRECEDING | 1 PRECEDING AND 2 PRECEDING | UNBOUNDED PRECEDING AND 2 PRECEDING | 1 FOLLOWING AND 3 FOLLOWING | 1 FOLLOWING AND 2 FOLLOWING | 1 FOLLOWING AND UNBOUNDED FOLLOWING | CURRENT ROW AND UNBOUNDED FOLLOWING | UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING | CURRENT ROW AND CURRENT ROW
-- no "1 PRECEDING AND 2 PRECEDING": as in Spark, the lower bound of a frame is not above the upper one
SELECT a, sum(d) OVER ({ORDER} ROWS BETWEEN {FRAME}) FROM odds;
SELECT a, sum(d) OVER (PARTITION BY a % 2 ORDER BY d ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM odds;
-- each ORDER: d | b
SELECT a, sum(d) OVER (ORDER BY {ORDER} RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM odds;

-- window3
-- each FRAME: RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING | RANGE BETWEEN CURRENT ROW AND CURRENT ROW | RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING | ROWS BETWEEN UNBOUNDED PRECEDING AND 4 PRECEDING | ROWS BETWEEN 4 PRECEDING AND 2 PRECEDING | ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | ROWS BETWEEN 4 PRECEDING AND CURRENT ROW | ROWS BETWEEN CURRENT ROW AND CURRENT ROW | ROWS BETWEEN UNBOUNDED PRECEDING AND 4 FOLLOWING | ROWS BETWEEN 4 PRECEDING AND 2 FOLLOWING | ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING | ROWS BETWEEN 2 FOLLOWING AND 4 FOLLOWING | ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING | ROWS BETWEEN 4 PRECEDING AND UNBOUNDED FOLLOWING | ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING | ROWS BETWEEN 4 FOLLOWING AND UNBOUNDED FOLLOWING
-- each CALL: max(b) | min(b)
SELECT {CALL} OVER (ORDER BY a {FRAME}) FROM three;
-- each FRAME: RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING | RANGE BETWEEN CURRENT ROW AND CURRENT ROW | RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING | ROWS BETWEEN UNBOUNDED PRECEDING AND 4 PRECEDING | ROWS BETWEEN 4 PRECEDING AND 2 PRECEDING | ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | ROWS BETWEEN 4 PRECEDING AND CURRENT ROW | ROWS BETWEEN CURRENT ROW AND CURRENT ROW | ROWS BETWEEN UNBOUNDED PRECEDING AND 4 FOLLOWING | ROWS BETWEEN 4 PRECEDING AND 2 FOLLOWING | ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING | ROWS BETWEEN 2 FOLLOWING AND 4 FOLLOWING | ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING | ROWS BETWEEN 4 PRECEDING AND UNBOUNDED FOLLOWING | ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING | ROWS BETWEEN 4 FOLLOWING AND UNBOUNDED FOLLOWING
-- each CALL: last_value(a + b) | first_value(b) | group_concat(CAST(b AS text), '.')
-- each ORDER: ORDER BY a | PARTITION BY b % 10 ORDER BY a | ORDER BY b, a | PARTITION BY b % 10 ORDER BY b, a | ORDER BY b % 10, a | PARTITION BY b % 2, a ORDER BY b % 10
SELECT {CALL} OVER ({ORDER} {FRAME}) FROM three;
-- each FRAME: RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
-- each CALL: dense_rank | rank | percent_rank | cume_dist
-- each ORDER: ORDER BY a | PARTITION BY b % 10 ORDER BY a | ORDER BY b | PARTITION BY b % 10 ORDER BY b | ORDER BY b % 10 | PARTITION BY b % 2 ORDER BY b % 10
SELECT {CALL}() OVER ({ORDER} {FRAME}) FROM three;
-- each FRAME: RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
-- each ORDER: ORDER BY a | PARTITION BY b % 10 ORDER BY a
SELECT row_number() OVER ({ORDER} {FRAME}) FROM three;
SELECT row_number() OVER (PARTITION BY b % 2 ORDER BY b % 10, a), rank() OVER (PARTITION BY b % 2 ORDER BY b % 10), dense_rank() OVER (PARTITION BY b % 2 ORDER BY b % 10) FROM three;
-- each CALL: ntile(100) OVER (ORDER BY a | ntile(101) OVER (PARTITION BY b % 10 ORDER BY a | ntile(102) OVER (ORDER BY b, a | ntile(103) OVER (PARTITION BY b % 10 ORDER BY b, a | ntile(104) OVER (ORDER BY b % 10, a | ntile(105) OVER (PARTITION BY b % 2, a ORDER BY b % 10
SELECT {CALL}) FROM three;
-- each CALL: lead | lag
-- each ORDER: ORDER BY a | PARTITION BY b % 10 ORDER BY a | ORDER BY b, a | PARTITION BY b % 10 ORDER BY b, a | ORDER BY b % 10, a | PARTITION BY b % 2, a ORDER BY b % 10
-- no: the offset in lag and lead is a literal
SELECT {CALL}(b, b) OVER ({ORDER} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM three;
-- each ORDER: ORDER BY a | PARTITION BY b % 10 ORDER BY a | ORDER BY b, a | PARTITION BY b % 10 ORDER BY b, a | ORDER BY b % 10, a | PARTITION BY b % 2, a ORDER BY b % 10
-- no: the position in nth_value is a literal
SELECT nth_value(b, b + 1) OVER ({ORDER} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM three;

-- window4
-- each TILES: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19
SELECT a, ntile({TILES}) OVER (ORDER BY a) FROM four_t3;
-- no: the position in nth_value is a literal
SELECT a, nth_value(b, c) OVER (ORDER BY a) FROM four_t4;
-- each CALL: lead(b) | lead(b, 2) | lead(b, 3, 'abc') | lag(b) | lag(b, 2) | lag(b, 3, 'abc')
SELECT a, {CALL} OVER (ORDER BY a) FROM four_t4;
SELECT group_concat(b, '.') OVER (ORDER BY a ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM four_t4;

-- window6
-- no: string_agg is for strings: write CAST(x AS string)
SELECT group_concat(x, '.') OVER (ORDER BY y) FROM xy;
SELECT sum(x) OVER w FROM xy WINDOW w AS (ORDER BY y);
SELECT sum(al.x) OVER w FROM xy al WINDOW w AS (ORDER BY y);
SELECT sum(x) OVER following FROM (SELECT x, y AS preceding FROM xy) current WINDOW following AS (ORDER BY preceding);
SELECT sum(x) OVER over FROM over_t WINDOW over AS ();
SELECT sum(over) OVER w FROM over_t WINDOW w AS (ORDER BY over);
SELECT count(*) OVER win FROM xy WINDOW win AS (ORDER BY x ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING);
SELECT count(*) OVER win FROM xy WINDOW win AS (ORDER BY x ROWS BETWEEN +2 FOLLOWING AND +3 FOLLOWING);
SELECT "counter", "value", RANK() OVER w AS "rank" FROM "sample" WINDOW w AS (PARTITION BY "counter" ORDER BY "value" DESC) ORDER BY "counter", 3;
SELECT "counter", "value", SUM("value") OVER (ORDER BY "id" ROWS 2 PRECEDING) FROM "sample" ORDER BY "id";
SELECT SUM("value") OVER (ORDER BY "id" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM "sample" ORDER BY "id";
-- no: string_agg is for strings: write CAST(x AS string)
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 5) SELECT x, group_concat(x, ',') OVER (ORDER BY x ROWS 2 PRECEDING) FROM c;
-- each FRAME: RANGE 2 PRECEDING | RANGE BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING | RANGE UNBOUNDED FOLLOWING | RANGE BETWEEN UNBOUNDED FOLLOWING AND UNBOUNDED FOLLOWING | RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED PRECEDING
SELECT x, count(*) OVER (ORDER BY x {FRAME}) FROM upto5;
-- differs: DISTINCT in a window, which SQLite does not have
SELECT count(DISTINCT x) OVER (ORDER BY x) FROM upto5;

-- window7
-- each FRAME: GROUPS BETWEEN CURRENT ROW AND CURRENT ROW | GROUPS BETWEEN 0 PRECEDING AND 0 FOLLOWING | GROUPS BETWEEN 2 PRECEDING AND 2 FOLLOWING | RANGE BETWEEN 0 PRECEDING AND 0 FOLLOWING | RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING | RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING | RANGE BETWEEN 0 PRECEDING AND 1 FOLLOWING
-- each DESC: | DESC
SELECT a, sum(b) OVER (ORDER BY a {DESC} {FRAME}) FROM tens ORDER BY 1;

-- window8
-- each FRAME: UNBOUNDED PRECEDING AND 1 PRECEDING | UNBOUNDED PRECEDING AND CURRENT ROW | UNBOUNDED PRECEDING AND 1 FOLLOWING | UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING | 1 PRECEDING AND 2 PRECEDING | 2 PRECEDING AND 1 PRECEDING | 3 PRECEDING AND 1 PRECEDING | 3 PRECEDING AND 0 PRECEDING | 2 PRECEDING AND CURRENT ROW | 3 PRECEDING AND 0 FOLLOWING | 2 PRECEDING AND UNBOUNDED FOLLOWING | CURRENT ROW AND 0 FOLLOWING | CURRENT ROW AND 1 FOLLOWING | CURRENT ROW AND 100 FOLLOWING | CURRENT ROW AND UNBOUNDED FOLLOWING | 0 FOLLOWING AND 0 FOLLOWING | 1 FOLLOWING AND 0 FOLLOWING | 1 FOLLOWING AND 5 FOLLOWING | 1 FOLLOWING AND UNBOUNDED FOLLOWING
-- each EXCLUDE: | EXCLUDE NO OTHERS | EXCLUDE CURRENT ROW | EXCLUDE GROUP | EXCLUDE TIES
-- no "1 PRECEDING AND 2 PRECEDING": as in Spark, the lower bound of a frame is not above the upper one
-- no "1 FOLLOWING AND 0 FOLLOWING": as in Spark, the lower bound of a frame is not above the upper one
SELECT a, b, sum(c) OVER (ORDER BY a GROUPS BETWEEN {FRAME} {EXCLUDE}), sum(c) OVER (ORDER BY a, b GROUPS BETWEEN {FRAME} {EXCLUDE}), max(c) OVER (ORDER BY a, b GROUPS BETWEEN {FRAME} {EXCLUDE}),
  min(c) OVER (ORDER BY a, b GROUPS BETWEEN {FRAME} {EXCLUDE}), count(*) OVER (ORDER BY a, b GROUPS BETWEEN {FRAME} {EXCLUDE}) FROM w8 ORDER BY 1, 2, 3;
-- each FRAME: GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | GROUPS BETWEEN 1 FOLLOWING AND 5 FOLLOWING
-- no: as in Spark, ranks, lag and lead take no frame
SELECT a, b, rank() OVER (ORDER BY a {FRAME}) FROM w8 ORDER BY 1, 2, 3;
-- each FRAME: ORDER BY c RANGE BETWEEN 100 PRECEDING AND 50 FOLLOWING | ORDER BY c DESC RANGE BETWEEN 50 FOLLOWING AND 200 FOLLOWING | PARTITION BY b ORDER BY c ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING | ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW | PARTITION BY a ORDER BY b RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
-- each EXCLUDE: | EXCLUDE NO OTHERS | EXCLUDE CURRENT ROW | EXCLUDE GROUP | EXCLUDE TIES
SELECT a, b, c, sum(c) OVER ({FRAME} {EXCLUDE}), max(c) OVER ({FRAME} {EXCLUDE}), min(c) OVER ({FRAME} {EXCLUDE}), count(*) OVER ({FRAME} {EXCLUDE}) FROM w8;

-- window9
SELECT dense_rank() OVER (ORDER BY a), dense_rank() OVER (PARTITION BY a ORDER BY b) FROM w8;
SELECT c = 158, rank() OVER (ORDER BY b) FROM w8;
SELECT EXISTS (SELECT 1 FROM empty4 ORDER BY sum(a) OVER ()) FROM eight;
SELECT sum(a) OVER () FROM empty4 ORDER BY EXISTS (SELECT 1 FROM empty4 ORDER BY sum(a) OVER ());
SELECT a, sum(a) OVER (ORDER BY a DESC) FROM empty4 ORDER BY EXISTS (SELECT 1 FROM empty4 ORDER BY sum(a) OVER (ORDER BY a)) OVER (ORDER BY a);
SELECT y FROM (SELECT c IN (SELECT min(a) OVER (), abs(row_number() OVER ()), max(a) OVER () FROM eight) AS y FROM c1);
SELECT a, 3 = count(*), group_concat(a) OVER (ORDER BY a) FROM grouped GROUP BY a;
SELECT sum(c) OVER (), sum(c) OVER (ORDER BY a), sum(c) OVER (PARTITION BY a ORDER BY b), sum(c) OVER (PARTITION BY a, b ORDER BY c) FROM w8;
-- no: as in Spark, ranks want an order
SELECT * FROM c1 WHERE EXISTS (SELECT MIN(c) OVER (), CUME_DIST() OVER () FROM c1);
-- each KEY: z | z + 0.0
SELECT avg(x) OVER (ORDER BY y) AS z FROM averages ORDER BY {KEY};
SELECT min(sum(a)) OVER () FROM a2;
SELECT min(sum(a)) OVER () FROM a2 GROUP BY a;
SELECT sum(c) OVER (ORDER BY c RANGE BETWEEN 0 PRECEDING AND '-700' PRECEDING) FROM w8;
-- each FILTER: | FILTER (WHERE a % 2 = 1) | FILTER (WHERE (a % 2) = 0)
SELECT a, group_concat(b, '') {FILTER} OVER win FROM mins WINDOW win AS (ORDER BY a ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING);
-- differs: FILTER is for all aggregates here
SELECT a, nth_value(b, 1) FILTER (WHERE (a % 2) = 0) OVER win FROM mins WINDOW win AS (ORDER BY a ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING);

-- windowA
-- each NULLS: LAST | FIRST
-- each FRAME: 2.50 PRECEDING AND 2.25 FOLLOWING | 2.50 PRECEDING AND UNBOUNDED FOLLOWING | 2.50 PRECEDING AND CURRENT ROW | UNBOUNDED PRECEDING AND 2.25 FOLLOWING | UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING | UNBOUNDED PRECEDING AND CURRENT ROW | CURRENT ROW AND 2.25 FOLLOWING | CURRENT ROW AND UNBOUNDED FOLLOWING
SELECT a, b, d, group_concat(b, '') OVER w1 FROM wa WINDOW w1 AS (ORDER BY d DESC NULLS {NULLS} RANGE BETWEEN {FRAME}) ORDER BY +d DESC NULLS {NULLS}, +a;

-- windowB
-- each WINDOW: a RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING | a NULLS LAST RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING | a DESC RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING | a DESC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING | a NULLS LAST RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING | a DESC NULLS FIRST RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING | a NULLS LAST RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING | a DESC NULLS FIRST RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING
SELECT sum(b) OVER win FROM wb_nulls WINDOW win AS (ORDER BY {WINDOW});
-- each FRAME: 1 PRECEDING AND 2 PRECEDING | 2 FOLLOWING AND 2 FOLLOWING
-- each NULLS: FIRST | LAST
-- no "1 PRECEDING AND 2 PRECEDING": as in Spark, the lower bound of a frame is not above the upper one
SELECT a, sum(b) OVER win FROM with_null WINDOW win AS (ORDER BY a NULLS {NULLS} RANGE BETWEEN {FRAME}) ORDER BY 1;
-- each FRAME: ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING | ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING
-- each FILTER: | FILTER (WHERE a <> 2)
SELECT group_concat(b, '') {FILTER} OVER (ORDER BY a {FRAME}) FROM mins ORDER BY a;
WITH y AS (SELECT Row_Number() OVER (win) FROM eight WINDOW win AS (PARTITION BY a)) SELECT * FROM y;
WITH y AS (SELECT Row_Number() OVER (win) FROM eight WINDOW win AS (PARTITION BY fake_column)) SELECT * FROM y;
-- each FRAME: 0 PRECEDING AND 3 PRECEDING | 2 FOLLOWING AND 0 FOLLOWING | 0 PRECEDING AND 3 PRECEDING EXCLUDE NO OTHERS | 2 FOLLOWING AND 0 FOLLOWING EXCLUDE NO OTHERS
-- no: as in Spark, the lower bound of a frame is not above the upper one
SELECT a, sum(c) OVER (ORDER BY a RANGE BETWEEN {FRAME}) FROM wb5;
-- each CALL: max | min
-- each FRAME: 2 FOLLOWING AND 0 FOLLOWING | 0 PRECEDING AND 2 PRECEDING
-- no: as in Spark, the lower bound of a frame is not above the upper one
SELECT a, {CALL}(c) OVER (ORDER BY a RANGE BETWEEN {FRAME}) FROM wb7;
-- no: the separator in group_concat is a literal
SELECT group_concat('-', x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM seps;
SELECT group_concat(v) OVER w, group_concat(v) OVER w FROM onetwo WINDOW w AS (RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING);
