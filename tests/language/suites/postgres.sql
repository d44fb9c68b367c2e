-- The window queries of PostgreSQL's regression suite, src/test/regress/sql/window.sql (PostgreSQL licence, (c) The PostgreSQL
-- Global Development Group). Translated: families of queries that differ in one word are written once, with {names}; series
-- are tables; queries about plans, privileges and PL/pgSQL are left out. The rows are PostgreSQL's own, in postgres.rows.
-- tenk1 has the first ten rows by unique2 and by unique1 of the suite's table; the others are in plain order.
--
-- each NAME: a | b     the query for each value of {NAME}
-- no: why              iw.sql refuses it
-- differs: why         iw.sql gives other rows, or takes what PostgreSQL refuses
-- no "text": why       the same, for those of the family that have this text

CREATE TABLE empsalary (depname varchar, empno bigint, salary int, enroll_date date);
INSERT INTO empsalary VALUES
  ('develop', 10, 5200, '2007-08-01'), ('sales', 1, 5000, '2006-10-01'), ('personnel', 5, 3500, '2007-12-10'),
  ('sales', 4, 4800, '2007-08-08'), ('personnel', 2, 3900, '2006-12-23'), ('develop', 7, 4200, '2008-01-01'),
  ('develop', 9, 4500, '2008-01-01'), ('sales', 3, 4800, '2007-08-01'), ('develop', 8, 6000, '2006-10-01'),
  ('develop', 11, 5200, '2007-08-15');
CREATE TABLE known (unique1 int, unique2 int);
INSERT INTO known VALUES (8800, 0), (1891, 1), (3420, 2), (9850, 3), (7164, 4), (8009, 5), (5057, 6), (6701, 7), (4321, 8),
  (3043, 9), (4, 10), (2, 11), (1, 12), (6, 13), (9, 14), (8, 15), (5, 16), (3, 17), (7, 18), (0, 19);
CREATE TABLE tenk1 AS
  SELECT unique1, unique2, unique1 % 2 AS two, unique1 % 4 AS four, unique1 % 10 AS ten, unique1 % 100 AS hundred,
    unique1 % 1000 AS thousand
  FROM (SELECT unique1, unique2 FROM known UNION ALL
    SELECT n, CAST(19 + row_number() OVER (ORDER BY n) AS int) FROM (SELECT generate_series(0, 9999) AS n) s
    WHERE n NOT IN (SELECT unique1 FROM known)) t
  ORDER BY unique2;
CREATE TABLE few AS SELECT * FROM tenk1 WHERE unique2 < 10 ORDER BY unique2;
CREATE TABLE fours_tens AS SELECT DISTINCT ten, four FROM tenk1;
CREATE TABLE small AS SELECT * FROM tenk1 WHERE unique1 < 10 ORDER BY unique2;
CREATE TABLE int4_tbl (f1 int);
INSERT INTO int4_tbl VALUES (0), (123456), (-123456), (2147483647), (-2147483647);
CREATE TABLE upto10 AS SELECT generate_series(1, 10) AS i;
CREATE TABLE odd35 AS SELECT generate_series(1, 35, 2) AS x;
CREATE TABLE odd49 AS SELECT 1 AS x UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT generate_series(5, 49, 2);
CREATE TABLE nulls (x int, y int);
INSERT INTO nulls VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (NULL, 42), (NULL, 43);
CREATE TABLE t1 (f1 int, f2 bigint);
INSERT INTO t1 VALUES (1, 1), (1, 2), (2, 2);
CREATE TABLE numerics (id int, f_float4 real, f_float8 double precision, f_numeric numeric(10, 3));
INSERT INTO numerics VALUES (0, '-infinity', '-infinity', '-1000'), (1, -3, -3, -3), (2, -1, -1, -1), (3, 0, 0, 0),
  (4, 1.1, 1.1, 1.1), (5, 1.12, 1.12, 1.12), (6, 2, 2, 2), (7, 100, 100, 100), (8, 'infinity', 'infinity', '1000'),
  (9, 'NaN', 'NaN', NULL);
CREATE TABLE datetimes (id int, f_time time, f_timestamptz timestamptz, f_timestamp timestamp);
INSERT INTO datetimes VALUES
  (1, '11:00', '2000-10-19 10:23:54+01', '2000-10-19 10:23:54'), (2, '12:00', '2001-10-19 10:23:54+01', '2001-10-19 10:23:54'),
  (3, '13:00', '2001-10-19 10:23:54+01', '2001-10-19 10:23:54'), (4, '14:00', '2002-10-19 10:23:54+01', '2002-10-19 10:23:54'),
  (5, '15:00', '2003-10-19 10:23:54+01', '2003-10-19 10:23:54'), (6, '15:00', '2004-10-19 10:23:54+01', '2004-10-19 10:23:54'),
  (7, '17:00', '2005-10-19 10:23:54+01', '2005-10-19 10:23:54'), (8, '18:00', '2006-10-19 10:23:54+01', '2006-10-19 10:23:54'),
  (9, '19:00', '2007-10-19 10:23:54+01', '2007-10-19 10:23:54'), (10, '20:00', '2008-10-19 10:23:54+01', '2008-10-19 10:23:54');
CREATE TABLE intervals (id int, f_interval interval);
INSERT INTO intervals VALUES (1, '1 year'), (2, '2 years'), (3, '3 years'), (4, '4 years'), (5, '5 years'), (6, '5 years'),
  (7, '7 years'), (8, '8 years'), (9, '9 years'), (10, '10 years');
CREATE TABLE iv (i int, v int);
INSERT INTO iv VALUES (1, 1), (2, 2), (3, NULL), (4, NULL);
CREATE TABLE iv_full (i int, v int);
INSERT INTO iv_full VALUES (1, 1), (2, 2), (3, 3), (4, 4);
CREATE TABLE iv_decimal (i int, v numeric(5, 2));
INSERT INTO iv_decimal VALUES (1, 1.1), (2, 2.2), (3, NULL), (4, NULL);
CREATE TABLE rn (i int, n int);
INSERT INTO rn VALUES (1, 600), (2, 470), (3, 170), (4, 430), (5, 300);
CREATE TABLE rn_null (i int, n int);
INSERT INTO rn_null VALUES (0, NULL), (1, 600), (2, 470), (3, 170), (4, 430), (5, 300);
CREATE TABLE big_small (i int, n double precision);
INSERT INTO big_small VALUES (1, 1e20), (2, 1);
CREATE TABLE bools (i int, b boolean);
INSERT INTO bools VALUES (1, true), (2, true), (3, false), (4, false), (5, true);
CREATE TABLE nans (a int, b double precision);
INSERT INTO nans VALUES (1, 1), (2, 2), (3, 'NaN'), (4, 3), (5, 4);
CREATE TABLE logged (p int, i int, f boolean, v varchar);
INSERT INTO logged VALUES (1, 1, true, NULL), (1, 2, false, 'a'), (1, 3, true, 'b'), (1, 4, false, NULL), (1, 5, false, NULL),
  (1, 6, false, 'c'), (2, 1, false, NULL), (2, 2, true, 'x'), (3, 1, true, 'z');

-- Windows, GROUP BY, WINDOW
SELECT depname, empno, salary, sum(salary) OVER (PARTITION BY depname) FROM empsalary ORDER BY depname, salary;
SELECT depname, empno, salary, rank() OVER (PARTITION BY depname ORDER BY salary) FROM empsalary;
SELECT four, ten, SUM(SUM(four)) OVER (PARTITION BY four), AVG(ten) FROM tenk1 GROUP BY four, ten ORDER BY four, ten;
SELECT depname, empno, salary, sum(salary) OVER w FROM empsalary WINDOW w AS (PARTITION BY depname);
SELECT depname, empno, salary, rank() OVER w FROM empsalary WINDOW w AS (PARTITION BY depname ORDER BY salary) ORDER BY rank() OVER w;
SELECT COUNT(*) OVER () FROM tenk1 WHERE unique2 < 10;
SELECT COUNT(*) OVER w FROM tenk1 WHERE unique2 < 10 WINDOW w AS ();
SELECT four FROM tenk1 WHERE FALSE WINDOW w AS (PARTITION BY ten);
SELECT sum(four) OVER (PARTITION BY ten ORDER BY unique2) AS sum_1, ten, four FROM tenk1 WHERE unique2 < 10;

-- Ranks and positions
SELECT row_number() OVER (ORDER BY unique2) FROM tenk1 WHERE unique2 < 10;
-- each RANK: rank | dense_rank | percent_rank | cume_dist
SELECT {RANK}() OVER (PARTITION BY four ORDER BY ten), ten, four FROM tenk1 WHERE unique2 < 10;
SELECT ntile(3) OVER (ORDER BY ten, four), ten, four FROM tenk1 WHERE unique2 < 10;
-- no: the number of parts is a number
SELECT ntile(NULL) OVER (ORDER BY ten, four), ten, four FROM tenk1 LIMIT 2;
-- each CALL: lag(ten) | lag(ten, four) | lag(ten, four, 0) | lead(ten) | lead(ten * 2, 1) | lead(ten * 2, 1, -1)
-- no "lag(ten, four": the offset in lag and lead is a literal
SELECT {CALL} OVER (PARTITION BY four ORDER BY ten), ten, four FROM tenk1 WHERE unique2 < 10;
SELECT first_value(ten) OVER (PARTITION BY four ORDER BY ten), ten, four FROM tenk1 WHERE unique2 < 10;
-- differs: the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
SELECT last_value(four) OVER (ORDER BY ten), ten, four FROM tenk1 WHERE unique2 < 10;
SELECT last_value(ten) OVER (PARTITION BY four), ten, four FROM (SELECT * FROM tenk1 WHERE unique2 < 10 ORDER BY four, ten) s ORDER BY four, ten;
-- no: the position in nth_value is a literal
SELECT nth_value(ten, four + 1) OVER (PARTITION BY four), ten, four FROM (SELECT * FROM tenk1 WHERE unique2 < 10 ORDER BY four, ten) s;
SELECT ten, two, sum(hundred) AS gsum, sum(sum(hundred)) OVER (PARTITION BY two ORDER BY ten) AS wsum FROM tenk1 GROUP BY ten, two;
SELECT count(*) OVER (PARTITION BY four), four FROM (SELECT * FROM tenk1 WHERE two = 1) s WHERE unique2 < 10;
SELECT CAST(count(*) OVER (PARTITION BY four ORDER BY ten) + sum(hundred) OVER (PARTITION BY four ORDER BY ten) AS varchar) AS cntsum
FROM tenk1 WHERE unique2 < 10;
SELECT * FROM (SELECT count(*) OVER (PARTITION BY four ORDER BY ten) + sum(hundred) OVER (PARTITION BY two ORDER BY ten) AS total,
    count(*) OVER (PARTITION BY four ORDER BY ten) AS fourcount, sum(hundred) OVER (PARTITION BY two ORDER BY ten) AS twosum FROM tenk1) sub
WHERE total <> fourcount + twosum;
SELECT avg(four) OVER (PARTITION BY four ORDER BY thousand / 100) FROM tenk1 WHERE unique2 < 10;
SELECT ten, two, sum(hundred) AS gsum, sum(sum(hundred)) OVER win AS wsum FROM tenk1 GROUP BY ten, two WINDOW win AS (PARTITION BY two ORDER BY ten);
SELECT sum(salary), row_number() OVER (ORDER BY depname), sum(sum(salary)) OVER (ORDER BY depname DESC) FROM empsalary GROUP BY depname;
SELECT sum(salary) OVER w1, count(*) OVER w2 FROM empsalary WINDOW w1 AS (ORDER BY salary), w2 AS (ORDER BY salary);
-- no: the offset in lag and lead is a literal
SELECT lead(ten, (SELECT two FROM tenk1 WHERE s.unique2 = unique2)) OVER (PARTITION BY four ORDER BY ten) FROM tenk1 s WHERE unique2 < 10;
SELECT count(*) OVER (PARTITION BY four) FROM (SELECT * FROM tenk1 WHERE FALSE) s;
SELECT sum(salary) OVER w, rank() OVER w FROM empsalary WINDOW w AS (PARTITION BY depname ORDER BY salary DESC);
SELECT empno, depname, salary, bonus, depadj, MIN(bonus) OVER (ORDER BY empno), MAX(depadj) OVER () FROM
  (SELECT *, CASE WHEN enroll_date < '2008-01-01' THEN 2008 - extract(YEAR FROM enroll_date) END * 500 AS bonus,
    CASE WHEN AVG(salary) OVER (PARTITION BY depname) < salary THEN 200 END AS depadj FROM empsalary) s;
SELECT SUM(COUNT(f1)) OVER () FROM int4_tbl WHERE f1 = 42;
SELECT ten, sum(unique1) + sum(unique2) AS res, rank() OVER (ORDER BY sum(unique1) + sum(unique2)) AS rank FROM tenk1 GROUP BY ten ORDER BY ten;
-- differs: a window without an order
SELECT first_value(max(x)) OVER (), y FROM (SELECT unique1 AS x, ten + four AS y FROM tenk1) ss GROUP BY y;

-- Frames that are written
-- each FRAME: | range between unbounded preceding and current row | range between unbounded preceding and unbounded following
SELECT four, ten, sum(ten) OVER (PARTITION BY four ORDER BY ten {FRAME}), last_value(ten) OVER (PARTITION BY four ORDER BY ten {FRAME}) FROM fours_tens;
-- each UNIT: range | rows
SELECT four, (ten - ten % 4) / 4 AS two, sum((ten - ten % 4) / 4) OVER (PARTITION BY four ORDER BY (ten - ten % 4) / 4 {UNIT} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
  last_value((ten - ten % 4) / 4) OVER (PARTITION BY four ORDER BY (ten - ten % 4) / 4 {UNIT} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
FROM (SELECT * FROM fours_tens ORDER BY four, ten) s;
SELECT sum(unique1) OVER (ORDER BY four RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), unique1, four FROM tenk1 WHERE unique1 < 10;
-- each FRAME: current row and unbounded following | 2 preceding and 2 following | 2 preceding and 2 following exclude no others | 2 preceding and 2 following exclude current row | 2 preceding and 2 following exclude group | 2 preceding and 2 following exclude ties | 2 preceding and 1 preceding | 1 following and 3 following | unbounded preceding and 1 following
SELECT sum(unique1) OVER (ROWS BETWEEN {FRAME}), unique1, four FROM tenk1 WHERE unique1 < 10;
-- each CALL: first_value | last_value
-- each EXCLUDE: current row | group | ties
-- differs "EXCLUDE current row": the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
-- differs "EXCLUDE group": the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
-- differs "last_value(unique1) OVER (ORDER BY four ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING EXCLUDE ties": the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
SELECT {CALL}(unique1) OVER (ORDER BY four ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING EXCLUDE {EXCLUDE}), unique1, four FROM small;
SELECT sum(unique1) OVER (w RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), unique1, four FROM tenk1 WHERE unique1 < 10 WINDOW w AS (ORDER BY four);
-- each EXCLUDE: current row | group | ties
SELECT sum(unique1) OVER (w RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE {EXCLUDE}), unique1, four FROM tenk1 WHERE unique1 < 10 WINDOW w AS (ORDER BY four);
-- differs: the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
SELECT first_value(unique1) OVER w, nth_value(unique1, 2) OVER w AS nth_2, last_value(unique1) OVER w, unique1, four FROM small
WINDOW w AS (ORDER BY four RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING);
-- no: a bound is a literal
SELECT sum(unique1) OVER (ORDER BY unique1 ROWS (SELECT unique1 FROM tenk1 ORDER BY unique1 LIMIT 1) + 1 PRECEDING), unique1 FROM tenk1 WHERE unique1 < 10;
-- each FRAME: rows between 1 preceding and 1 following | rows between 1 preceding and 1 following exclude current row | rows between 1 preceding and 1 following exclude group | rows between 1 preceding and 1 following exclude ties | rows between 1 preceding and 1 following exclude no others | groups between 1 preceding and 1 following
SELECT i, sum(i) OVER (ORDER BY i {FRAME}) AS sum_rows FROM upto10;

-- RANGE with offsets
-- each FRAME: four range between 2::int8 preceding and 1::int2 preceding | four desc range between 2::int8 preceding and 1::int2 preceding | four range between 2::int8 preceding and 1::int2 preceding exclude no others | four range between 2::int8 preceding and 1::int2 preceding exclude current row | four range between 2::int8 preceding and 1::int2 preceding exclude group | four range between 2::int8 preceding and 1::int2 preceding exclude ties | four range between 2::int8 preceding and 6::int2 following exclude ties | four range between 2::int8 preceding and 6::int2 following exclude group
SELECT sum(unique1) OVER (ORDER BY {FRAME}), unique1, four FROM tenk1 WHERE unique1 < 10;
-- each EXCLUDE: | exclude current row
SELECT sum(unique1) OVER (PARTITION BY four ORDER BY unique1 RANGE BETWEEN 5::int8 PRECEDING AND 6::int2 FOLLOWING {EXCLUDE}), unique1, four FROM tenk1 WHERE unique1 < 10;
-- each FRAME: range between '1 year'::interval preceding and '1 year'::interval following | desc range between '1 year'::interval preceding and '1 year'::interval following | desc range between '1 year'::interval following and '1 year'::interval following | range between '1 year'::interval preceding and '1 year'::interval following exclude current row | range between '1 year'::interval preceding and '1 year'::interval following exclude group | range between '1 year'::interval preceding and '1 year'::interval following exclude ties
SELECT sum(salary) OVER (ORDER BY enroll_date {FRAME}), salary, enroll_date FROM empsalary;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT first_value(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING), lead(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING),
  nth_value(salary, 1) OVER (ORDER BY salary RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING), salary FROM empsalary;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT last_value(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING), lag(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING), salary FROM empsalary;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT first_value(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 FOLLOWING AND 3000 FOLLOWING EXCLUDE CURRENT ROW), lead(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 FOLLOWING AND 3000 FOLLOWING EXCLUDE TIES),
  nth_value(salary, 1) OVER (ORDER BY salary RANGE BETWEEN 1000 FOLLOWING AND 3000 FOLLOWING EXCLUDE TIES), salary FROM empsalary;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT last_value(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 FOLLOWING AND 3000 FOLLOWING EXCLUDE GROUP), lag(salary) OVER (ORDER BY salary RANGE BETWEEN 1000 FOLLOWING AND 3000 FOLLOWING EXCLUDE GROUP), salary FROM empsalary;
-- differs: the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
SELECT first_value(salary) OVER (ORDER BY enroll_date RANGE BETWEEN UNBOUNDED PRECEDING AND '1 year'::interval FOLLOWING EXCLUDE TIES),
  last_value(salary) OVER (ORDER BY enroll_date RANGE BETWEEN UNBOUNDED PRECEDING AND '1 year'::interval FOLLOWING), salary, enroll_date FROM empsalary;
-- each EXCLUDE: ties | group | current row
-- differs: the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
SELECT first_value(salary) OVER (ORDER BY enroll_date RANGE BETWEEN UNBOUNDED PRECEDING AND '1 year'::interval FOLLOWING EXCLUDE {EXCLUDE}),
  last_value(salary) OVER (ORDER BY enroll_date RANGE BETWEEN UNBOUNDED PRECEDING AND '1 year'::interval FOLLOWING EXCLUDE {EXCLUDE}), salary, enroll_date FROM empsalary;
-- each ORDER: asc nulls first | asc nulls last | desc nulls first | desc nulls last
-- differs "desc nulls first": the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
SELECT x, y, first_value(y) OVER w, last_value(y) OVER w FROM nulls WINDOW w AS (ORDER BY x {ORDER} RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING);

-- Overflow of a bound, and RANGE over other types
SELECT x, last_value(x) OVER (ORDER BY x::smallint RANGE BETWEEN CURRENT ROW AND 2147450884 FOLLOWING) FROM (VALUES (32764), (32765), (32766)) t(x);
SELECT x, last_value(x) OVER (ORDER BY x::smallint DESC RANGE BETWEEN CURRENT ROW AND 2147450885 FOLLOWING) FROM (VALUES (-32766), (-32765), (-32764)) t(x);
SELECT x, last_value(x) OVER (ORDER BY x RANGE BETWEEN CURRENT ROW AND 4 FOLLOWING) FROM (VALUES (2147483644), (2147483645), (2147483646)) t(x);
SELECT x, last_value(x) OVER (ORDER BY x DESC RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING) FROM (VALUES (-2147483646), (-2147483645), (-2147483644)) t(x);
SELECT x, last_value(x) OVER (ORDER BY x RANGE BETWEEN CURRENT ROW AND 4 FOLLOWING) FROM (VALUES (9223372036854775804), (9223372036854775805), (9223372036854775806)) t(x);
SELECT x, last_value(x) OVER (ORDER BY x DESC RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING) FROM (VALUES (-9223372036854775806), (-9223372036854775805), (-9223372036854775804)) t(x);
-- each COLUMN: f_float4 | f_float8
-- each FRAME: 1 preceding and 1 following | 1 preceding and 1.1::float8 following | 'inf' preceding and 'inf' following | 1.1 preceding and 'NaN' following
-- no "'inf'": an infinite distance: write UNBOUNDED
SELECT id, {COLUMN}, first_value(id) OVER w, last_value(id) OVER w FROM numerics WINDOW w AS (ORDER BY {COLUMN} RANGE BETWEEN {FRAME});
-- each FRAME: 1 preceding and 1 following | 1 preceding and 1.1::numeric following | 1 preceding and 1.1::float8 following | 1.1 preceding and 'NaN' following
-- differs "1.1::float8": PostgreSQL takes no float as a distance in decimals
SELECT id, f_numeric, first_value(id) OVER w, last_value(id) OVER w FROM numerics WINDOW w AS (ORDER BY f_numeric RANGE BETWEEN {FRAME});
-- each FRAME: f_time range between '70 min'::interval preceding and '2 hours'::interval following | f_time desc range between '70 min' preceding and '2 hours' following
-- no: RANGE over a TIME: order by a timestamp
SELECT id, f_time, first_value(id) OVER w, last_value(id) OVER w FROM datetimes WINDOW w AS (ORDER BY {FRAME});
-- each FRAME: range between '1 year'::interval preceding and '1 year'::interval following | desc range between '1 year' preceding and '1 year' following
-- no: no order by an INTERVAL: order by a number or a timestamp
SELECT id, f_interval, first_value(id) OVER w, last_value(id) OVER w FROM intervals WINDOW w AS (ORDER BY f_interval {FRAME});
-- each COLUMN: f_timestamptz | f_timestamp
-- each FRAME: range between '1 year'::interval preceding and '1 year'::interval following | desc range between '1 year' preceding and '1 year' following
-- differs "desc": the order of peers is left open by SQL, and PostgreSQL does not keep that of the table
SELECT id, {COLUMN}, first_value(id) OVER w, last_value(id) OVER w FROM datetimes WINDOW w AS (ORDER BY {COLUMN} {FRAME});

-- Errors of RANGE
-- each FRAME: enroll_date, salary range between '1 year'::interval preceding and '2 years'::interval following | depname range between '1 year'::interval preceding and '2 years'::interval following
SELECT sum(salary) OVER (ORDER BY {FRAME} EXCLUDE TIES), salary, enroll_date FROM empsalary;
SELECT sum(salary) OVER (RANGE BETWEEN '1 year'::interval PRECEDING AND '2 years'::interval FOLLOWING EXCLUDE TIES), salary, enroll_date FROM empsalary;
-- each FRAME: enroll_date range between 1 preceding and 2 following | salary range between -1 preceding and 2 following | salary range between 1 preceding and -2 following | salary range between '1 year'::interval preceding and '2 years'::interval following | enroll_date range between '1 year'::interval preceding and '-2 years'::interval following
-- differs "enroll_date range between 1 preceding": PostgreSQL takes no number as a distance in dates, here it counts days
SELECT max(enroll_date) OVER (ORDER BY {FRAME} EXCLUDE TIES), salary, enroll_date FROM empsalary;

-- GROUPS
-- each FRAME: unbounded preceding and current row | unbounded preceding and unbounded following | current row and unbounded following | 1 preceding and unbounded following | 1 following and unbounded following | unbounded preceding and 2 following | 2 preceding and 1 preceding | 2 preceding and 1 following | 0 preceding and 0 following | 2 preceding and 1 following exclude current row | 2 preceding and 1 following exclude group | 2 preceding and 1 following exclude ties
SELECT sum(unique1) OVER (ORDER BY four GROUPS BETWEEN {FRAME}), unique1, four FROM tenk1 WHERE unique1 < 10;
-- each EXCLUDE: | exclude current row | exclude group | exclude ties
SELECT sum(unique1) OVER (PARTITION BY ten ORDER BY four GROUPS BETWEEN 0 PRECEDING AND 0 FOLLOWING {EXCLUDE}), unique1, four, ten FROM tenk1 WHERE unique1 < 10;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT first_value(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING), lead(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING),
  nth_value(salary, 1) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING), salary, enroll_date FROM empsalary;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT last_value(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING), lag(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING), salary, enroll_date FROM empsalary;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT first_value(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE CURRENT ROW), lead(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE TIES),
  nth_value(salary, 1) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE TIES), salary, enroll_date FROM empsalary;
-- no: as in Spark, ranks, lag and lead take no frame
SELECT last_value(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE GROUP), lag(salary) OVER (ORDER BY enroll_date GROUPS BETWEEN 1 FOLLOWING AND 3 FOLLOWING EXCLUDE GROUP), salary, enroll_date FROM empsalary;
-- each TABLE: odd35 | odd49
-- each UNIT: rows | range | groups
WITH cte (x) AS (SELECT * FROM {TABLE}) SELECT x, (sum(x) OVER w) FROM cte WINDOW w AS (ORDER BY x {UNIT} BETWEEN 1 PRECEDING AND 1 FOLLOWING);
SELECT count(*) OVER (PARTITION BY four) FROM (SELECT * FROM tenk1 UNION ALL SELECT * FROM small) s LIMIT 0;
-- each UNIT: range | groups
-- each WINDOW: partition by f1 {UNIT} between 1 preceding and 1 following | partition by f1 order by f2 {UNIT} between 1 preceding and 1 following | partition by f1, f1 order by f2 {UNIT} between 2 preceding and 1 preceding | partition by f1, f2 order by f2 {UNIT} between 1 following and 2 following
SELECT f1, sum(f1) OVER ({WINDOW}) FROM t1 WHERE f1 = f2;

-- Odd places, and errors
SELECT rank() OVER (ORDER BY length('abc'));
SELECT rank() OVER (ORDER BY rank() OVER (ORDER BY random()));
SELECT * FROM empsalary WHERE row_number() OVER (ORDER BY salary) < 10;
SELECT * FROM empsalary INNER JOIN tenk1 ON row_number() OVER (ORDER BY salary) < 10;
SELECT rank() OVER (ORDER BY 1), count(*) FROM empsalary GROUP BY 1;
SELECT * FROM rank() OVER (ORDER BY random());
SELECT count(*) OVER w FROM tenk1 WINDOW w AS (ORDER BY unique1), w AS (ORDER BY unique1);
-- differs: sqlglot overlooks the comma behind PARTITION BY four
SELECT rank() OVER (PARTITION BY four, ORDER BY ten) FROM tenk1;
-- differs: count() is count(*) here, as in DuckDB
SELECT count() OVER () FROM tenk1;
SELECT generate_series(1, 100) OVER () FROM empsalary;
SELECT ntile(0) OVER (ORDER BY ten), ten, four FROM tenk1;
SELECT nth_value(four, 0) OVER (ORDER BY ten), ten, four FROM tenk1;
SELECT sum(salary), row_number() OVER (ORDER BY depname), sum(sum(salary) FILTER (WHERE enroll_date > '2007-01-01')) FILTER (WHERE depname <> 'sales') OVER (ORDER BY depname DESC) AS filtered_sum, depname
FROM empsalary GROUP BY depname;
SELECT * FROM (SELECT depname, sum(salary) OVER (PARTITION BY depname) depsalary, min(salary) OVER (PARTITION BY depname || 'A', depname) depminsalary FROM empsalary) emp WHERE depname = 'sales';
SELECT * FROM (SELECT depname, sum(salary) OVER (PARTITION BY enroll_date) enroll_salary, min(salary) OVER (PARTITION BY depname) depminsalary FROM empsalary) emp WHERE depname = 'sales';
SELECT nth_value(ten, 2) OVER (PARTITION BY four), ten, four FROM (SELECT * FROM tenk1 WHERE unique2 < 10 ORDER BY four, ten) s;

-- Moving aggregates: what the suite logs of each transition is here what the frame holds, in its order
SELECT p, i, string_agg(v, '+') OVER wnd, count(v) OVER wnd FROM logged WINDOW wnd AS (PARTITION BY p ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY p, i;
SELECT p, i, string_agg(v, '+') FILTER (WHERE f) OVER wnd, count(*) FILTER (WHERE f) OVER wnd FROM logged WINDOW wnd AS (PARTITION BY p ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY p, i;
SELECT i, string_agg(v, '+') FILTER (WHERE true) OVER wnd, string_agg(v, '+') FILTER (WHERE random() >= 0) OVER wnd FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS t(i, v)
WINDOW wnd AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) ORDER BY i;
SELECT string_agg(v, '+') OVER wnd FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS t(i, v) WINDOW wnd AS (ORDER BY i ROWS BETWEEN CURRENT ROW AND CURRENT ROW) ORDER BY i;
WITH sum_following AS (SELECT i, SUM(i * i % 17) OVER (ORDER BY i DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM upto10)
SELECT DISTINCT sum_following.s = sum(vs.i * vs.i % 17) OVER fwd AS eq1, -sum_following.s = sum(-(vs.i * vs.i % 17)) OVER fwd AS eq2
FROM upto10 vs JOIN sum_following ON sum_following.i = vs.i WINDOW fwd AS (ORDER BY vs.i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING);
-- each CALL: AVG(v::bigint) | AVG(v::int) | AVG(v::smallint) | AVG(v::numeric) | SUM(v::smallint) | SUM(v::int) | SUM(v::bigint) | COUNT(v) | COUNT(*)
SELECT i, {CALL} OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM iv;
-- each CALL: AVG | SUM
SELECT i, {CALL}(v) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM iv_decimal;
-- each CALL: AVG | SUM
-- no: sums of INTERVAL: sum a number of seconds
SELECT i, {CALL}(v::interval) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM (VALUES (1, '1 sec'), (2, '2 sec'), (3, NULL), (4, NULL)) t(i, v);
-- differs: there is no type money; it is read as a decimal
SELECT i, SUM(v::money) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM (VALUES (1, '1.10'), (2, '2.20'), (3, NULL), (4, NULL)) t(i, v);
SELECT SUM(n::numeric) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM (VALUES (1, 1.01), (2, 2), (3, 3)) v(i, n);
-- each CALL: VAR_POP | VAR_SAMP | VARIANCE | STDDEV_POP | STDDEV_SAMP | STDDEV
-- each TYPE: bigint | int | smallint | numeric
-- each TABLE: rn | rn_null
SELECT {CALL}(n::{TYPE}) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM {TABLE};
-- each FRAME: current row and current row | current row and 1 following
SELECT i, SUM(v::int) OVER (ORDER BY i ROWS BETWEEN {FRAME}) FROM iv;
SELECT i, SUM(v::int) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM iv_full;
SELECT a, b, SUM(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM nans;
SELECT SUM(n::float8) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM big_small;
SELECT i, b, bool_and(b) OVER w, bool_or(b) OVER w FROM bools WINDOW w AS (ORDER BY i ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING);
-- no: a bound is a literal
SELECT array_agg(i) OVER w FROM upto10 WINDOW w AS (ORDER BY i ROWS BETWEEN (('foo' < 'foobar')::integer) PRECEDING AND CURRENT ROW);
SELECT array_agg(i) OVER w FROM upto10 WINDOW w AS (ORDER BY i ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING);
