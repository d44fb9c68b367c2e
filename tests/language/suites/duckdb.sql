-- The window queries of DuckDB's test suite, test/sql/window/*.test (MIT licence, (c) Stichting DuckDB Foundation). Translated:
-- range() and generate_series() are tables, the tables of a file are named after it, and families that differ in a word are
-- written once, with {names}. Left out are queries about plans, threads and memory, and the copies of PostgreSQL's and SQLite's
-- queries that are in the other files. The rows are asked of the installed DuckDB.

CREATE TABLE empsalary (depname varchar, empno bigint, salary int, enroll_date date);
INSERT INTO empsalary VALUES ('develop', 10, 5200, '2007-08-01'), ('sales', 1, 5000, '2006-10-01'), ('personnel', 5, 3500, '2007-12-10'), ('sales', 4, 4800, '2007-08-08'),
  ('personnel', 2, 3900, '2006-12-23'), ('develop', 7, 4200, '2008-01-01'), ('develop', 9, 4500, '2008-01-01'), ('sales', 3, 4800, '2007-08-01'), ('develop', 8, 6000, '2006-10-01'), ('develop', 11, 5200, '2007-08-15');
CREATE TABLE tenk1 (unique1 int, four int, col int);
INSERT INTO tenk1 VALUES (0, 0, NULL), (1, 1, 1), (2, 2, NULL), (3, 3, 3), (4, 0, NULL), (5, 1, 1), (6, 2, NULL), (7, 3, 3), (8, 0, NULL), (9, 1, 1);
CREATE TABLE upto10 AS SELECT CAST(i AS int) AS i FROM range(1, 11) t(i);
CREATE TABLE twice5 AS SELECT CAST(i AS int) AS i FROM range(1, 6) t(i) UNION ALL SELECT CAST(i AS int) FROM range(1, 6) t(i);
CREATE TABLE below10 AS SELECT CAST(i AS int) AS i FROM range(10) t(i);
CREATE TABLE many AS SELECT CAST(i AS int) AS i FROM range(3000) t(i);
CREATE TABLE r300 AS SELECT CAST(i AS int) AS i FROM range(1, 301) t(i);
CREATE TABLE r40 AS SELECT CAST(i AS int) AS i FROM range(1, 41) t(i);
CREATE TABLE ranges (a real, b int);
INSERT INTO ranges VALUES (5, 10), (10, 20), (13, 26), (13, 26), (15, 30), (20, 40), (22, 80), (30, 90);
CREATE TABLE range_nulls (a int, b int);
INSERT INTO range_nulls VALUES (NULL, 1), (NULL, 2), (NULL, 3), (10, 4), (10, 5);
CREATE TABLE range_texts (a text, b int);
INSERT INTO range_texts VALUES ('A', NULL), ('B', NULL), ('C', 1);
CREATE TABLE range_more (a int, b int);
INSERT INTO range_more VALUES (1, 65), (2, NULL), (3, NULL), (4, NULL), (5, 66), (6, 67);
CREATE TABLE days AS SELECT DATE '2021-07-28' + INTERVAL (CAST(a AS int)) DAYS AS ts, CAST(DATE '2021-07-28' + CAST(a AS int) AS date) AS d, TIMESTAMP '2021-07-28' + INTERVAL (CAST(a AS int)) HOURS AS h, b FROM ranges;
CREATE TABLE names (v int, t text);
INSERT INTO names VALUES (1, 'odd'), (2, 'even'), (3, 'odd'), (4, 'even'), (5, 'odd'), (6, 'even');
CREATE TABLE sixteen AS SELECT CAST(i AS int) AS i FROM range(0, 16) t(i);
CREATE TABLE pairs (x int, y int);
INSERT INTO pairs VALUES (1, 1), (2, 1), (3, 2), (4, 2);
CREATE TABLE issue2549 (id int, user_id int, order_id int);
INSERT INTO issue2549 VALUES (0, 1, 614), (1, 1, NULL), (2, 1, NULL), (3, 1, 639), (4, 1, 2027);
CREATE TABLE issue6635 (idx int, data int);
INSERT INTO issue6635 VALUES (1, 1), (2, 2), (3, NULL), (4, NULL), (5, 5), (6, NULL), (7, NULL);
CREATE TABLE quantiles AS SELECT CAST(r AS int) AS r FROM range(10) t(r) UNION ALL SELECT NULL FROM range(3);
CREATE TABLE moving (r int, i int, p int, f int);
INSERT INTO moving VALUES (0, 0, 1, 2), (1, 1, 1, 2), (2, 2, 1, 2), (3, 0, 1, 2), (4, 1, 1, 2), (5, 2, 1, 2);
CREATE TABLE moving_null (r int, i int);
INSERT INTO moving_null VALUES (0, NULL), (1, 1), (2, 2), (3, 3), (4, NULL), (5, 1);
CREATE TABLE testing AS SELECT CAST(x AS int) AS x, CAST(round(x * 0.333, 0) AS int) % 3 AS y, CAST(round(x * 0.333, 0) AS int) % 3 AS z FROM range(11) tbl(x);
CREATE TABLE distinct_pairs (a int, b int);
INSERT INTO distinct_pairs VALUES (1, 2), (1, 1), (1, 2), (2, 1), (2, 1), (2, 2), (2, 3), (2, 4);
CREATE TABLE empty_frames (id int, ch text);
INSERT INTO empty_frames VALUES (1, 'A'), (2, 'B'), (NULL, 'B');
CREATE TABLE lists (i int, g int);
INSERT INTO lists VALUES (1, 1), (2, 1), (3, 2), (NULL, 3), (42, 3);
CREATE TABLE modes AS SELECT r, CAST(r // 3 AS int) AS third FROM quantiles;
CREATE TABLE thirteen AS SELECT CAST(i AS int) AS id, CAST(i % 5 AS int) AS part, CAST(i AS int) AS val FROM range(13) t(i);
CREATE TABLE issue7353 (Season text, Medal text, Sex text, Ct int, Depth int);
INSERT INTO issue7353 VALUES (NULL, NULL, NULL, 271116, 0), ('Summer', NULL, NULL, 222552, 1), ('Winter', NULL, NULL, 48564, 1), ('Summer', 'NA', NULL, 188464, 2), ('Winter', 'NA', NULL, 42869, 2), ('Summer', 'Gold', 'M', 8319, 3), ('Winter', 'Gold', 'F', 607, 3);
CREATE TABLE Scoreboard (TeamName text, Player text, Score int);
INSERT INTO Scoreboard VALUES ('Mongrels', 'Apu', 350), ('Mongrels', 'Ned', 666), ('Mongrels', 'Meg', 1030), ('Mongrels', 'Burns', 1270), ('Simpsons', 'Homer', 1), ('Simpsons', 'Lisa', 710), ('Simpsons', 'Marge', 990), ('Simpsons', 'Bart', 2010);
CREATE TABLE lead_lag (id int, v int, t int, f float, s text);
INSERT INTO lead_lag VALUES (1, 1, 2, 0.54, 'h'), (1, 1, 1, 0.21, 'e'), (1, 2, 3, 0.001, 'l'), (2, 10, 4, 0.04, 'l'), (2, 11, -1, 10.45, 'o'), (3, -1, 0, 13.32, ','), (3, 5, -2, 9.87, 'wor'), (3, NULL, 10, 6.56, 'ld');
CREATE TABLE issue14398 (date date, grp int, status text);
INSERT INTO issue14398 VALUES ('2024-01-01', 1, 'ordered'), ('2024-02-01', 1, 'dispatched'), ('2024-03-01', 1, 'dispatched'), ('2024-01-01', 3, 'ordered'), ('2024-02-01', 3, 'ordered'), ('2024-03-01', 3, 'late'), ('2024-01-01', 7, 'late'), ('2024-02-01', 7, 'dispatched'), ('2024-03-01', 7, 'dispatched');
CREATE TABLE eventlog AS SELECT chr(CAST(65 + i * i % 4 AS int)) AS trace, 1 AS cnt FROM range(60) t(i);
CREATE TABLE integers (i int, j int);
INSERT INTO integers VALUES (2, 2), (2, 1), (1, 2), (1, NULL);
CREATE TABLE q49 (item int, return_ratio decimal(9, 6), currency_ratio decimal(9, 6));
INSERT INTO q49 VALUES (7539, 0.59, 0.59), (3337, 0.626506, 0.626506), (15597, 0.661972, 0.661972), (2915, 0.69863, 0.69863), (483, 0.8, 0.8), (4231, 0.977778, 0.977778), (5647, 0.987805, 0.987805), (10323, 0.977778, 1.111111), (3305, 0.7375, 1.29386);
CREATE TABLE dbplyr (x int, g double, w int);
INSERT INTO dbplyr VALUES (1, 1, 42), (2, 1, 42), (3, 1, 42), (2, 2, 42), (3, 2, 42), (4, 2, 42);
CREATE TABLE bools AS SELECT i % 2 = 0 AS j, i % 3 = 0 AS k, CAST(i AS int) AS i FROM range(1, 5) t(i);
CREATE TABLE issue10855 (i int, v float);
INSERT INTO issue10855 VALUES (0, 1), (1, 2), (2, 3);
CREATE TABLE four_ten (ten int, four int);
INSERT INTO four_ten VALUES (0, 0), (1, 1), (3, 3), (2, 2), (4, 2), (9, 1), (4, 0), (7, 3), (0, 2), (2, 0), (5, 1), (1, 3), (3, 1), (6, 0), (8, 0), (9, 3), (8, 2), (6, 2), (7, 1), (5, 3);
CREATE TABLE tpcc (depname text, empno bigint, salary int);
INSERT INTO tpcc SELECT depname, empno, salary FROM empsalary;

-- test_basic_window
SELECT i, MAX(i) OVER nothing FROM upto10;
SELECT depname, empno, salary, sum(salary) OVER (PARTITION BY depname ORDER BY empno) FROM empsalary ORDER BY depname, empno;
SELECT sum(salary) OVER (PARTITION BY depname ORDER BY salary) ss FROM empsalary ORDER BY depname, ss;
SELECT row_number() OVER (PARTITION BY depname ORDER BY salary) rn FROM empsalary ORDER BY depname, rn;
SELECT empno, first_value(empno) OVER (PARTITION BY depname ORDER BY empno) fv FROM empsalary ORDER BY 2 DESC, 1 ASC;
SELECT depname, empno, last_value(empno) OVER (PARTITION BY depname ORDER BY empno ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) fv FROM empsalary ORDER BY 1, 2;
-- each CALL: dense_rank() | rank() | percent_rank() | cume_dist() | ntile(3)
SELECT depname, salary, {CALL} OVER (PARTITION BY depname ORDER BY salary) FROM empsalary ORDER BY depname, salary;
SELECT depname, min(salary) OVER (PARTITION BY depname ORDER BY salary, empno) m1, max(salary) OVER (PARTITION BY depname ORDER BY salary, empno) m2, AVG(salary) OVER (PARTITION BY depname ORDER BY salary, empno) m3 FROM empsalary ORDER BY depname, empno;
-- each CALL: STDDEV_POP(salary) | STDDEV(salary) | VAR_POP(salary) | COVAR_POP(salary, empno) | COVAR_SAMP(salary, empno) | CORR(salary, empno)
-- differs "CORR(": of one row DuckDB makes NaN, and Spark and SQL NULL
SELECT depname, {CALL} OVER (PARTITION BY depname ORDER BY salary, empno) s FROM empsalary ORDER BY depname, empno;
WITH t AS (SELECT i, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 7 END AS p, i % 3 AS q FROM many), w AS (SELECT i, p, q, count(*) OVER (PARTITION BY p, q) AS c FROM t), g AS (SELECT p, q, count(*) AS c FROM t GROUP BY ALL)
SELECT count(*), sum(CASE WHEN w.c = g.c THEN 1 ELSE 0 END) FROM w JOIN g ON w.p IS NOT DISTINCT FROM g.p AND w.q = g.q;
WITH t AS (SELECT i, CASE WHEN i % 11 = 0 THEN NULL ELSE 'grp_' || CAST(i % 17 AS text) END AS p, CASE WHEN i % 13 = 0 THEN NULL ELSE 'tag_' || CAST(i % 5 AS text) END AS q FROM many),
w AS (SELECT i, p, q, count(*) OVER (PARTITION BY p, q) AS c FROM t), g AS (SELECT p, q, count(*) AS c FROM t GROUP BY ALL)
SELECT count(*), sum(CASE WHEN w.c = g.c THEN 1 ELSE 0 END) FROM w JOIN g ON w.p IS NOT DISTINCT FROM g.p AND w.q IS NOT DISTINCT FROM g.q;
WITH t AS (SELECT i, i % 5 AS p FROM many), w AS (SELECT i, p, row_number() OVER (PARTITION BY p ORDER BY i DESC) AS rn FROM t), g AS (SELECT p, max(i) AS max_i FROM t GROUP BY p) SELECT count(*) FROM w JOIN g USING (p) WHERE rn = 1 AND i = max_i;

-- test_boundary_expr
-- each FRAME: 2 preceding and 2 following | 2 preceding and 1 preceding | 1 following and 3 following | unbounded preceding and 1 following
SELECT sum(unique1) OVER (ORDER BY unique1 ROWS BETWEEN {FRAME}) su FROM tenk1 ORDER BY unique1;

-- test_window_range
SELECT a, sum(b) OVER win FROM ranges WINDOW win AS (ORDER BY a, b RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING);
SELECT a, sum(b) OVER win FROM ranges WINDOW win AS (ORDER BY a RANGE BETWEEN 'a' PRECEDING AND 'a' FOLLOWING);
-- each TYPE: tinyint | smallint | integer | bigint | float | double | decimal(9, 2)
SELECT a, sum(b) OVER win FROM (SELECT CAST(a AS {TYPE}) AS a, b FROM ranges) c1 WINDOW win AS (ORDER BY a RANGE BETWEEN CAST(5 AS {TYPE}) PRECEDING AND CAST(5 AS {TYPE}) FOLLOWING);
-- each TYPE: utinyint | uinteger | hugeint | uhugeint
SELECT sum(b) OVER win FROM (SELECT CAST(a AS {TYPE}) AS a, b FROM ranges) c1 WINDOW win AS (ORDER BY a RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING);
-- each COLUMN: ts | d
SELECT {COLUMN}, sum(b) OVER win FROM days WINDOW win AS (ORDER BY {COLUMN} RANGE BETWEEN INTERVAL 5 DAYS PRECEDING AND INTERVAL 5 DAYS FOLLOWING);
SELECT h, sum(b) OVER win FROM days WINDOW win AS (ORDER BY h RANGE BETWEEN INTERVAL 5 HOURS PRECEDING AND INTERVAL 5 HOURS FOLLOWING);
-- no: no order by an INTERVAL: order by a number or a timestamp
SELECT sum(b) OVER win FROM (SELECT ts - TIMESTAMP '2021-07-28' + INTERVAL 1 MONTH AS a, b FROM days) WINDOW win AS (ORDER BY a RANGE BETWEEN INTERVAL 5 DAYS PRECEDING AND INTERVAL 5 DAYS FOLLOWING);
-- each TYPE: boolean | varchar
SELECT a, sum(b) OVER win FROM (SELECT CAST(a AS {TYPE}) AS a, b FROM ranges) c1 WINDOW win AS (ORDER BY a RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING);
-- each WINDOW: a RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING | a RANGE BETWEEN 10 PRECEDING AND 5 PRECEDING | a RANGE BETWEEN 2 FOLLOWING AND 3 FOLLOWING | a DESC RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING | a DESC RANGE BETWEEN 10 PRECEDING AND 5 PRECEDING | a DESC RANGE BETWEEN 2 FOLLOWING AND 3 FOLLOWING | a RANGE BETWEEN 5.1 PRECEDING AND 5.3 FOLLOWING | a RANGE BETWEEN 10.2 PRECEDING AND 5.4 PRECEDING | a RANGE BETWEEN 2.6 FOLLOWING AND 3.5 FOLLOWING | a DESC RANGE BETWEEN 5.7 PRECEDING AND 5.8 FOLLOWING | a DESC RANGE BETWEEN UNBOUNDED PRECEDING AND 5.9 PRECEDING | a DESC RANGE BETWEEN 2.1 FOLLOWING AND UNBOUNDED FOLLOWING | a RANGE 5.1 PRECEDING
SELECT CAST(a AS integer), sum(b) OVER win FROM ranges WINDOW win AS (ORDER BY {WINDOW});
-- each WINDOW: a RANGE BETWEEN 5 PRECEDING AND 10 FOLLOWING | a DESC RANGE BETWEEN 5 PRECEDING AND 10 FOLLOWING | a RANGE BETWEEN 5 FOLLOWING AND 10 FOLLOWING | a DESC RANGE BETWEEN 5 FOLLOWING AND 10 FOLLOWING | a NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND 10 FOLLOWING | a NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND 10 FOLLOWING | a DESC NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND 10 FOLLOWING | a NULLS FIRST RANGE BETWEEN CURRENT ROW AND 10 FOLLOWING
-- each NULLS: FIRST | LAST
SELECT sum(b) OVER (ORDER BY {WINDOW}) FROM range_nulls ORDER BY 1 NULLS {NULLS};
-- each ORDER: b NULLS FIRST | b DESC NULLS LAST
SELECT group_concat(a, '.') OVER (ORDER BY {ORDER} RANGE BETWEEN 7 PRECEDING AND 2 PRECEDING) FROM range_texts;
-- each CALL: sum | min | max
-- each WINDOW: LAST RANGE BETWEEN 6 FOLLOWING AND UNBOUNDED FOLLOWING | LAST RANGE BETWEEN 1000 PRECEDING AND 2 PRECEDING | LAST RANGE BETWEEN 1 PRECEDING AND 2 PRECEDING | LAST RANGE BETWEEN 2 FOLLOWING AND 1 FOLLOWING | FIRST RANGE BETWEEN 1 PRECEDING AND 2 PRECEDING | FIRST RANGE BETWEEN 2 FOLLOWING AND 1 FOLLOWING | LAST RANGE BETWEEN 2000 FOLLOWING AND 1000 FOLLOWING | FIRST RANGE BETWEEN 1000 PRECEDING AND 2000 PRECEDING
-- no "1 PRECEDING AND 2 PRECEDING": as in Spark, the lower bound of a frame is not above the upper one
-- no "2 FOLLOWING AND 1 FOLLOWING": as in Spark, the lower bound of a frame is not above the upper one
-- no "2000 FOLLOWING AND": as in Spark, the lower bound of a frame is not above the upper one
-- no "AND 2000 PRECEDING": as in Spark, the lower bound of a frame is not above the upper one
SELECT {CALL}(a) OVER win FROM range_more WINDOW win AS (ORDER BY b NULLS {WINDOW});
SELECT sum(v) OVER (PARTITION BY (SELECT t FROM names m WHERE m.v = names.v) ORDER BY v) FROM names ORDER BY ALL;
SELECT sum(v) OVER win FROM names WINDOW win AS (PARTITION BY (SELECT t FROM names m WHERE m.v = names.v) ORDER BY v) ORDER BY ALL;
WITH map2 AS (SELECT * FROM names) SELECT sum(v) OVER (PARTITION BY (SELECT t FROM map2 m WHERE m.v = names.v) ORDER BY v) FROM names ORDER BY ALL;
SELECT b, sum(b) OVER (ORDER BY a NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND 10 FOLLOWING) FROM (SELECT CASE WHEN i < 70 THEN NULL ELSE 10 END AS a, i AS b FROM r300 WHERE i < 129) t1 ORDER BY 1;

-- test_window_clause
SELECT max(base), max(referenced), sum(refined), sum(unrefined) FROM (SELECT row_number() OVER w AS base, row_number() OVER (w) AS referenced, sum(i % 4) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS refined,
  sum(i % 4) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS unrefined FROM sixteen WINDOW w AS (PARTITION BY i // 4 ORDER BY i % 4)) q;
-- each WINDOWS: (w ORDER BY x) FROM pairs WINDOW w AS (PARTITION BY y) | (w ORDER BY x) FROM pairs WINDOW w AS (PARTITION BY y ORDER BY x DESC) | (w PARTITION BY y) FROM pairs WINDOW w AS (PARTITION BY x)
SELECT x, y, count(*) OVER (PARTITION BY y ORDER BY x), count(*) OVER {WINDOWS} ORDER BY x;
-- differs: OVER (w) is w, with its frame
SELECT i, sum(i) OVER (w) AS smoothed FROM sixteen WINDOW w AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) ORDER BY i;
SELECT sum(1) OVER cumulativeSum FROM sixteen WINDOW cumulativeSum AS (), cumulativesum AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING);
SELECT sum(i) OVER cumulativeSum FROM sixteen WINDOW cumulativeSum AS ();
-- each REST: ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING | | RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING | GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
SELECT count(*) OVER w AS x FROM (VALUES (1), (2)) AS t(a) WINDOW base AS (ORDER BY a), w AS (base {REST}) ORDER BY a;
-- differs: the windows of a WINDOW clause are in any order
SELECT count(*) OVER w FROM (VALUES (1), (2)) AS t(a) WINDOW w AS (base), base AS (ORDER BY a);
SELECT count(*) OVER w FROM (VALUES (1), (2)) AS t(a) WINDOW w AS (w);

-- test_ignore_nulls
-- each NULLS: IGNORE | RESPECT
-- each CALL: LAST_VALUE(order_id {NULLS} NULLS) | FIRST_VALUE(order_id {NULLS} NULLS) | NTH_VALUE(order_id, 2 {NULLS} NULLS)
-- each FRAME: UNBOUNDED PRECEDING AND 1 PRECEDING | 1 PRECEDING AND UNBOUNDED FOLLOWING
SELECT id, user_id, order_id, {CALL} OVER (PARTITION BY user_id ORDER BY id ROWS BETWEEN {FRAME}) AS o FROM issue2549 ORDER BY ALL;
-- each NULLS: IGNORE | RESPECT
-- each CALL: LEAD(order_id, 1, -1 {NULLS} NULLS) | LAG(order_id, 1, -1 {NULLS} NULLS) | LAG(order_id, 0, -1 {NULLS} NULLS)
SELECT id, user_id, order_id, {CALL} OVER (PARTITION BY user_id ORDER BY id) AS o FROM issue2549 ORDER BY ALL;
SELECT *, first(data IGNORE NULLS) OVER w, last(data IGNORE NULLS) OVER w, nth_value(data, 1 IGNORE NULLS) OVER w FROM issue6635 WINDOW w AS (ORDER BY idx ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING);
WITH gen AS (SELECT i AS id, ((i * 1327) % 9973) / 10000.0 AS rnd FROM many), lvl AS (SELECT id, rnd, CASE WHEN rnd <= 0.1 THEN 'shallow' WHEN rnd >= 0.9 THEN 'high' END AS water_level FROM gen)
SELECT id, LAST_VALUE(water_level IGNORE NULLS) OVER (ORDER BY id) AS grade FROM lvl ORDER BY id;
SELECT data, lead(data) OVER (ORDER BY idx), lead(data IGNORE NULLS) OVER (ORDER BY idx) FROM issue6635;
-- each NULLS: IGNORE | RESPECT
-- each CALL: ABS(i {NULLS} NULLS) | SUM(i {NULLS} NULLS) | SUM(i {NULLS} NULLS) OVER (PARTITION BY (i / 3) ORDER BY i % 3)
-- differs "ABS(": sqlglot overlooks IGNORE NULLS where it has no meaning
-- differs "NULLS) FROM": sqlglot overlooks IGNORE NULLS where it has no meaning
SELECT {CALL} FROM below10;

-- test_quantile_window
SELECT r % 2, r, median(r) OVER (PARTITION BY r % 2 ORDER BY r) FROM quantiles ORDER BY 1, 2;
-- each FRAME: 1 preceding and 1 following | 1 preceding and 3 following
SELECT r, median(r) OVER (ORDER BY r ROWS BETWEEN {FRAME}) FROM quantiles ORDER BY 1, 2;
-- each CALL: quantile(r, 0.5) | quantile_disc(r, 0.5) | quantile_cont(r, 0.5) | quantile_cont(r, [0.25, 0.5, 0.75]) | quantile_disc(r, [0.25, 0.5, 0.75])
SELECT r, {CALL} OVER (ORDER BY r ROWS BETWEEN 1 PRECEDING AND 3 FOLLOWING) FROM quantiles ORDER BY 1, 2;
-- each CALL: median(CAST(r AS text)) OVER (PARTITION BY r % 2 ORDER BY r) | median('prefix-' || CAST(r AS text) || '-suffix') OVER (ORDER BY r ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
-- no: no median of strings
SELECT r, {CALL} FROM quantiles ORDER BY 1, 2;
-- each WINDOW: PARTITION BY r % 3 ORDER BY r | ORDER BY r ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING | ORDER BY r ROWS BETWEEN 1 PRECEDING AND 3 FOLLOWING | ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
SELECT r, n, median(n) OVER ({WINDOW}) FROM (SELECT r, CASE r % 2 WHEN 0 THEN r ELSE NULL END AS n FROM quantiles) nulls ORDER BY 1, 2;
-- each CALL: MEDIAN(i) | SUM(i) | MAX(i)
-- no: a bound is a literal
SELECT r, {CALL} OVER (ORDER BY r ROWS BETWEEN p PRECEDING AND f FOLLOWING) FROM moving ORDER BY 1;
-- each TABLE: moving | moving_null
-- each CALL: median(i) | quantile_disc(i, 0.5) | quantile_cont(i, 0.5) | quantile_cont(i, 0.25)
SELECT r, {CALL} OVER (ORDER BY r ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) q FROM {TABLE} ORDER BY 1, 2;

-- test_window_exclude
-- each EXCLUDE: current row | group | ties | no others
SELECT sum(unique1) OVER (w RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE {EXCLUDE}), unique1, four FROM tenk1 WINDOW w AS (ORDER BY four) ORDER BY four, unique1;
-- each EXCLUDE: current row | group | ties
SELECT sum(unique1) OVER (PARTITION BY four ORDER BY unique1 RANGE BETWEEN 5::int8 PRECEDING AND 6::int2 FOLLOWING EXCLUDE {EXCLUDE}), unique1, four FROM tenk1 ORDER BY four, unique1;
SELECT sum(unique1) FILTER (WHERE four > 1) OVER (ORDER BY unique1 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW), unique1, four FROM tenk1 ORDER BY unique1, four;
SELECT sum(unique1) FILTER (WHERE four > 0) OVER (PARTITION BY four ORDER BY unique1 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW), unique1, four FROM tenk1 ORDER BY unique1, four;
SELECT first_value(four) OVER (ORDER BY four ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP), four FROM tenk1 ORDER BY four;
SELECT last_value(four) OVER (ORDER BY four ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW), four FROM tenk1 ORDER BY four;
SELECT nth_value(four, 5) OVER (ORDER BY four ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES), four FROM tenk1 ORDER BY four;
SELECT nth_value(col, 3 IGNORE NULLS) OVER (ORDER BY four ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW), four, col FROM tenk1 ORDER BY four, col;
-- each EXCLUDE: current row | group | ties
SELECT sum(unique1) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE {EXCLUDE}), unique1 FROM tenk1 ORDER BY unique1;
-- each EXCLUDE: group | ties
SELECT DISTINCT u.i, sum(u.i) OVER (ORDER BY u.i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE {EXCLUDE}) FROM r300, upto10 u ORDER BY 1;
SELECT DISTINCT u.i, sum(u.i) FILTER (WHERE r300.i <> 3) OVER (ORDER BY u.i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) AS s FROM r300, upto10 u ORDER BY 1, 2;
SELECT i, last_value(i) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM upto10 WHERE i <> 10 ORDER BY i;
SELECT i, sum(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 30 FOLLOWING EXCLUDE CURRENT ROW) FROM r40 ORDER BY i;
-- each EXCLUDE: current row | group | ties
SELECT unique1, four, sum(unique1) OVER (PARTITION BY four ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE {EXCLUDE}) FROM tenk1 ORDER BY four, unique1;
-- each EXCLUDE: current row | group | ties
-- each CALL: COUNT(*) | array_agg(i) | mode(i) | median(i) | sum(i) | min(i) | max(i) | avg(i) | stddev(i) | bit_or(i)
-- each FRAME: 3 PRECEDING AND 3 FOLLOWING | UNBOUNDED PRECEDING AND CURRENT ROW | 1 PRECEDING AND 2 FOLLOWING
-- differs "array_agg(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE current": as in Spark, lists have no NULLs, and an empty frame gives an empty one
-- differs "array_agg(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE group": as in Spark, lists have no NULLs, and an empty frame gives an empty one
-- differs "array_agg(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE group": as in Spark, lists have no NULLs, and an empty frame gives an empty one
SELECT i, {CALL} OVER (ORDER BY i ROWS BETWEEN {FRAME} EXCLUDE {EXCLUDE}) FROM twice5 ORDER BY i;
-- each CALL: EXCLUDE CURRENT ROW | ROWS UNBOUNDED PRECEDING EXCLUDE GROUPS
SELECT sum(i) OVER ({CALL}) FROM upto10;

-- test_window_filter
-- each CALL: avg(x) | count(*) | median(x)
SELECT x, y, z, {CALL} OVER (PARTITION BY y) AS p, {CALL} FILTER (WHERE x = 1) OVER (PARTITION BY y) AS fx, {CALL} FILTER (WHERE z = 0) OVER (PARTITION BY y) AS fz FROM testing ORDER BY y, x;
SELECT x, count(x) FILTER (WHERE x % 2 = 0) OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) FROM testing;
-- each CALL: rank() | dense_rank() | row_number() | percent_rank() | cume_dist() | ntile(3) | lead(x) | lag(x)
SELECT x, {CALL} FILTER (WHERE x = 1) OVER (PARTITION BY y) FROM testing;
-- each CALL: first_value(x) | last_value(x) | nth_value(x, 1)
-- differs: FILTER is for all aggregates here
SELECT x, {CALL} FILTER (WHERE x = 1) OVER (PARTITION BY y) FROM testing;

-- test_window_distinct
SELECT COUNT(DISTINCT 42) OVER ();
SELECT *, COUNT(b) OVER (PARTITION BY a), COUNT(DISTINCT b) OVER (PARTITION BY a) FROM distinct_pairs;
-- each CALL: sum(DISTINCT b) | avg(DISTINCT b) | min(DISTINCT b) | max(DISTINCT b) | string_agg(DISTINCT CAST(b AS text), ',')
SELECT a, b, {CALL} OVER (PARTITION BY a ORDER BY b) FROM distinct_pairs;

-- test_nthvalue
SELECT depname, empno, nth_value(empno, 2) OVER (PARTITION BY depname ORDER BY empno ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) fv FROM empsalary ORDER BY 1, 2;
-- each CALL: nth_value(empno, NULL) | nth_value(empno, CASE empno % 3 WHEN 1 THEN 2 ELSE NULL END) | nth_value(empno, 1 + empno % 3) | nth_value(empno, empno % 3)
-- no: the position in nth_value is a literal
SELECT depname, empno, {CALL} OVER (PARTITION BY depname ORDER BY empno ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) fv FROM empsalary ORDER BY 1, 2;
-- each CALL: nth_value(NULL, 2) | nth_value(-1, 2) | nth_value(empno) | nth_value(empno, 2, 3)
SELECT depname, empno, {CALL} OVER (PARTITION BY depname ORDER BY empno ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) fv FROM empsalary ORDER BY 1, 2;
SELECT depname, empno, nth_value(empno, 2) OVER (PARTITION BY depname ORDER BY empno ASC NULLS FIRST ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) fv FROM (SELECT depname, CASE empno % 2 WHEN 1 THEN empno ELSE NULL END AS empno FROM empsalary) ORDER BY 1, 2;

-- test_scalar_window
-- each CALL: row_number() OVER () | avg(42) OVER () | concat() OVER () | nonexistingfunction() OVER () | avg(row_number() OVER ()) OVER () | avg(42) OVER (PARTITION BY row_number() OVER ()) | avg(42) OVER (ORDER BY row_number() OVER ())
SELECT {CALL};

-- test_empty_frames
-- each CALL: count(*) | approx_count_distinct(id) | count(id) | entropy(id) | any_value(id) | arbitrary(id) | avg(id) | bit_and(id) | bit_or(id) | bit_xor(id) | favg(id) | first(id) | fsum(id) | histogram(id) | kurtosis(id) | last(id) | mad(id) | max(id) | median(id) | min(id) | mode(id) | product(id) | sem(id) | skewness(id) | stddev(id) | stddev_pop(id) | stddev_samp(id) | sum(id) | var_pop(id) | var_samp(id) | variance(id) | approx_quantile(id, 0.5) | quantile(id, 0.5) | quantile_cont(id, 0.5) | quantile_disc(id, 0.5) | arg_max(id, ch) | arg_min(id, ch) | max_by(id, ch) | min_by(id, ch) | array_agg(id) | list(id) | bool_and(id > 0) | bool_or(id > 0) | corr(id, id) | covar_pop(id, id) | covar_samp(id, id) | regr_avgx(id, id) | regr_avgy(id, id) | regr_intercept(id, id) | regr_r2(id, id) | regr_slope(id, id) | regr_sxx(id, id) | regr_sxy(id, id) | regr_syy(id, id) | regr_count(id, id) | string_agg(ch, ' ') | group_concat(ch) | listagg(ch)
-- differs "array_agg": as in Spark, lists have no NULLs, and an empty frame gives an empty one
-- differs "list(id)": as in Spark, lists have no NULLs, and an empty frame gives an empty one
SELECT id, {CALL} OVER (PARTITION BY ch ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM empty_frames ORDER BY 1;

-- test_list_window
-- differs: as in Spark, lists have no NULLs, and an empty frame gives an empty one
SELECT g, LIST(i) OVER (PARTITION BY g ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS l FROM lists ORDER BY g;

-- test_mode_window
SELECT r % 2, r, third, mode(third) OVER (PARTITION BY r % 2 ORDER BY r) FROM modes ORDER BY 1, 2;
-- each FRAME: 1 preceding and 1 following | 1 preceding and 3 following
SELECT r, third, mode(third) OVER (ORDER BY r ROWS BETWEEN {FRAME}) FROM modes ORDER BY 1, 2;
-- each WINDOW: PARTITION BY r % 3 ORDER BY r | ORDER BY r ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING | ORDER BY r ROWS BETWEEN 1 PRECEDING AND 3 FOLLOWING | ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
SELECT r, n, mode(n) OVER ({WINDOW}) FROM (SELECT r, CASE r % 2 WHEN 0 THEN r ELSE NULL END AS n FROM modes) nulls ORDER BY 1;

-- test_invalid_window
SELECT depname, min(salary) OVER (PARTITION BY depname ORDER BY salary, empno) m1 FROM empsalary GROUP BY m1 ORDER BY depname, empno;
-- each FRAME: unbounded following and unbounded preceding | unbounded preceding and unbounded preceding
SELECT sum(i) OVER (ORDER BY i RANGE BETWEEN {FRAME}) FROM upto10;
-- each UNIT: ROWS | RANGE | GROUPS
-- each FRAME: CURRENT ROW AND 1 PRECEDING | 1 FOLLOWING AND CURRENT ROW | 1 FOLLOWING AND 1 PRECEDING
SELECT sum(a) OVER (ORDER BY a {UNIT} BETWEEN {FRAME}) FROM (VALUES (1), (2)) t(a);
-- differs: an ORDER BY inside of the call goes into the window here; sqlglot sorts the list by its values
SELECT LIST(salary ORDER BY enroll_date, salary) OVER (PARTITION BY depname) FROM empsalary ORDER BY ALL DESC;
SELECT sum(i) OVER (ORDER BY i GROUPS 1 PRECEDING) FROM upto10 ORDER BY i;

-- test_window_constant_aggregate
SELECT part, id, sum(val) OVER (PARTITION BY part ORDER BY id), lead(val) OVER (PARTITION BY part ORDER BY id) FROM thirteen ORDER BY ALL;
SELECT part, id, list(val) OVER (PARTITION BY part) FROM thirteen ORDER BY ALL;
SELECT part, min(const) AS lo, max(const) AS hi FROM (SELECT part, sum(val) OVER (PARTITION BY part) AS const FROM ((SELECT 1 AS part, i AS val FROM many WHERE i < 73) UNION ALL (SELECT 2 AS part, i AS val FROM many WHERE i < 75) UNION ALL (SELECT 3 AS part, i AS val FROM many WHERE i < 77)) u) t GROUP BY ALL ORDER BY ALL;
SELECT *, max(Ct) FILTER (WHERE Depth = 1) OVER (PARTITION BY Season) AS value_depth1 FROM issue7353 ORDER BY ALL;
SELECT i // 5 AS p, i, STRING_AGG(CAST(i AS text), ',' ORDER BY i DESC) OVER (PARTITION BY i // 5) AS c FROM below10 ORDER BY ALL;

-- test_ntile, test_lead_lag, test_evil_window
-- each TILES: NTILE(2) OVER (PARTITION BY TeamName ORDER BY Score ASC) | NTILE(2) OVER (ORDER BY Score ASC) | NTILE(1000) OVER (PARTITION BY TeamName ORDER BY Score ASC) | NTILE(1) OVER (ORDER BY Score) | NTILE(NULL) OVER (ORDER BY Score) | NTILE() OVER (ORDER BY Score) | NTILE(1, 2) OVER (ORDER BY Score) | NTILE(-1) OVER (ORDER BY Score) | NTILE(0) OVER (ORDER BY Score)
-- no "NTILE(NULL)": the number of parts is a number
SELECT TeamName, Player, Score, {TILES} AS tile FROM Scoreboard s ORDER BY TeamName, Score;
SELECT v, lead(v, 2) OVER (ORDER BY t) AS b FROM lead_lag;
SELECT id, v, t, lag(v, 2, NULL) OVER (PARTITION BY id ORDER BY t ASC) FROM lead_lag ORDER BY id, t;
SELECT date, grp, status, LEAD(date, 2) OVER (PARTITION BY grp ORDER BY date ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS end_date, LEAD(status, 2) OVER (PARTITION BY grp ORDER BY date) AS end_status FROM issue14398 ORDER BY 2, 1;
SELECT * FROM (SELECT lag(i, -1) OVER () AS negative, lead(i, 1) OVER () AS positive FROM upto10) w WHERE negative <> positive;
SELECT depname, sum(sum(salary)) OVER (PARTITION BY depname ORDER BY salary) FROM empsalary GROUP BY depname, salary ORDER BY depname, salary;
-- each CALL: sum(salary * 2) OVER (PARTITION BY depname ORDER BY empno) | 2 * sum(salary) OVER (PARTITION BY depname ORDER BY empno)
SELECT empno, {CALL} FROM empsalary ORDER BY depname, empno;
SELECT depname, sum(salary) * 100.0000 / sum(sum(salary)) OVER (PARTITION BY depname ORDER BY salary) AS revenueratio FROM empsalary GROUP BY depname, salary ORDER BY depname, revenueratio;

-- test_window_cse
SELECT trace, sum(cnt) AS cnt_trace, sum(sum(cnt)) OVER () AS cnt_total, sum(cnt) / sum(sum(cnt)) OVER () AS rel, sum(sum(cnt)) OVER (ORDER BY sum(cnt) DESC, trace ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) / sum(sum(cnt)) OVER () AS cumulated FROM eventlog GROUP BY trace ORDER BY cnt_trace DESC;

-- test_streaming_window
-- each CALL: row_number() | rank() | dense_rank() | percent_rank() | first_value(i) | first_value(j)
-- no "rank()": as in Spark, ranks want an order
SELECT {CALL} OVER (), i, j FROM integers;
-- each CALL: COUNT(*) | COUNT(j) | SUM(i) | SUM(j) FILTER (WHERE i = 2)
SELECT i, {CALL} OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM integers;
SELECT SUM(s) FROM (SELECT SUM(i) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) s FROM many);
SELECT i, j, first_value(i) OVER (), last_value(j) OVER (ORDER BY j), row_number() OVER () FROM integers;
-- no: a window inside of a recursive query
WITH RECURSIVE rte AS (SELECT 1 l, 1::bigint r UNION ALL SELECT l + 1, row_number() OVER () FROM rte WHERE l < 3) SELECT * FROM rte;
-- no: a window inside of a recursive query
WITH RECURSIVE rte AS (SELECT 1 l, 1::bigint r UNION ALL SELECT l + 1, sum(l) OVER () FROM rte WHERE l < 3) SELECT * FROM rte;
SELECT i, row_number() OVER (ORDER BY i) AS row_no FROM below10 QUALIFY row_no <= 4;
SELECT i, sum(i) OVER (ORDER BY i) AS s FROM below10 QUALIFY s <= 10 AND i > 1 ORDER BY s DESC;

-- test_tpcds_q49, test_window_binding, test_window_dbplyr, test_window_bool, test_window_interval
SELECT item, rank() OVER (ORDER BY return_ratio) AS return_rank, rank() OVER (ORDER BY currency_ratio) AS currency_rank FROM q49 ORDER BY item;
-- each CALL: MIN(a) OVER (PARTITION BY i ORDER BY i) | MIN(i) OVER (PARTITION BY a ORDER BY i) | MIN(i) OVER (PARTITION BY i ORDER BY a) | MIN(i) OVER (PARTITION BY i, a ORDER BY i) | MIN(i) OVER (PARTITION BY i ORDER BY i, a) | MIN(i) OVER (PARTITION BY i ORDER BY i)
SELECT {CALL} FROM integers;
-- each INNER: SELECT x, g FROM dbplyr ORDER BY x | SELECT x, g FROM dbplyr ORDER BY w | SELECT * FROM dbplyr ORDER BY x
SELECT x, g FROM (SELECT x, g, SUM(x) OVER (PARTITION BY g ORDER BY x ROWS UNBOUNDED PRECEDING) AS zzz67 FROM ({INNER}) d3) d4 WHERE (zzz67 > 3.0) ORDER BY x, g;
-- each WINDOW: | PARTITION BY j | PARTITION BY j ORDER BY i
SELECT j, i, sum(i) OVER ({WINDOW}), bool_and(k) OVER ({WINDOW}), bool_or(k) OVER ({WINDOW}), bool_and(NOT k) OVER ({WINDOW}) FROM bools ORDER BY 1, 2;
-- no: no keys of type INTERVAL
SELECT i, sum(i) OVER (PARTITION BY CASE WHEN j THEN INTERVAL '1' YEAR ELSE INTERVAL '2' YEAR END) FROM bools;

-- test_negative_range
-- each DESC: | DESC
-- each FRAME: 1 PRECEDING AND -1 FOLLOWING | -1 FOLLOWING AND 1 FOLLOWING | -1 PRECEDING AND 1 FOLLOWING | 1 PRECEDING AND -1 PRECEDING
SELECT i, v, sum(v) OVER (ORDER BY i {DESC} RANGE BETWEEN {FRAME}) FROM issue10855;

-- test_value_orderby, test_fill
-- each CALL: first_value(i ORDER BY i DESC) | last_value(i ORDER BY i DESC) | nth_value(i, 2 ORDER BY i DESC)
-- no: an ORDER BY inside of the call: put it into the window
SELECT i, (i * 29) % 11 AS outside, {CALL} OVER (ORDER BY (i * 29) % 11 ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING) FROM below10 ORDER BY 2;

-- test_no_default_window_spec
-- each FRAME: | range between unbounded preceding and current row | range between unbounded preceding and unbounded following
SELECT four, ten, sum(ten) OVER (PARTITION BY four ORDER BY ten {FRAME}) st, last_value(ten) OVER (PARTITION BY four ORDER BY ten {FRAME}) lt FROM four_ten ORDER BY four, ten;
SELECT four, ten // 4 AS two, sum(ten // 4) OVER (PARTITION BY four ORDER BY ten // 4 RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) st FROM four_ten ORDER BY four, two;
SELECT four, ten // 4 AS two, sum(ten // 4) OVER w st, last_value(ten // 4) OVER w lt FROM four_ten WINDOW w AS (PARTITION BY four ORDER BY ten // 4 RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) ORDER BY four, two;
