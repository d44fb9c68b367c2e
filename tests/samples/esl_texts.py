"""The aggregates of the ESL paper as they are printed, by the number of their example.

What is changed: nothing but example 12's second spelling (``MYAVG``), where the types of its two columns are the right way
round: as printed, the sum is an Int.
"""

AVG = """
CREATE AGGREGATE avg(Next Real) : Real
{
TABLE state(tsum Real, cnt Int);
INITIALIZE : { INSERT INTO state VALUES (Next, 1); }
ITERATE : { UPDATE state SET tsum=tsum+Next, cnt=cnt+1; }
TERMINATE : { INSERT INTO RETURN
SELECT tsum/cnt FROM state; }
}
"""

DECAY_ONLINE_AVG = """
CREATE AGGREGATE decay_online_avg(Next Real) : Real
{
TABLE state(tsum Real, cnt Int);
INITIALIZE : {
INSERT INTO state VALUES (Next, 1);
INSERT INTO RETURN VALUES (Next); }
ITERATE: {
UPDATE state SET tsum= 0.9*tsum + 1.1*Next, cnt=cnt+1;
INSERT INTO RETURN SELECT tsum/cnt FROM state; }
}
"""

CUM_AVG = """
CREATE AGGREGATE cum_avg(Next Real) : Real
{
  TABLE state(tsum Real, cnt Int);
  INITIALIZE : {
    INSERT INTO state VALUES (Next, 1);
    INSERT INTO RETURN SELECT tsum/cnt FROM state;
  }
  ITERATE : {
    UPDATE state SET tsum=tsum+Next, cnt=cnt+1;
    INSERT INTO RETURN SELECT tsum/cnt FROM state;
  }
  TERMINATE : { }
}
"""

NAIVE_AVG = """
CREATE WINDOW AGGREGATE avg(Next Real) : Real
{
  TABLE inwindow(wnext Real);
  INITIALIZE: ITERATE: {
    INSERT INTO RETURN
      SELECT avg(wnext) FROM inwindow;
  }
}
"""

MYAVG_AS_PRINTED = """
CREATE WINDOW AGGREGATE myavg(Next Real) : Real
{
  TABLE state(tsum Int, cnt Real);
  TABLE inwindow(wnext Real);
  INITIALIZE : {
    INSERT INTO state VALUES (Next, 1);
    INSERT INTO RETURN VALUES (Next);
  }
  ITERATE : {
    UPDATE state SET tsum=tsum+Next, cnt=cnt+1;
    INSERT INTO RETURN SELECT tsum/cnt FROM state;
  }
  EXPIRE: { /* when there are expired tuples take the oldest */
    UPDATE state SET cnt= cnt-1, tsum = tsum - oldest().wnext;
  }
}
"""
MYAVG = MYAVG_AS_PRINTED.replace("tsum Int, cnt Real", "tsum Real, cnt Int")

MAX = """
CREATE WINDOW AGGREGATE max (Next Real) : Real
{
  TABLE inwindow(wnext real);
  INITIALIZE : {
    INSERT INTO RETURN VALUES (Next);
  } /* new tuples are added to inwindow automatically */
  ITERATE : {
    DELETE FROM inwindow WHERE wnext ≤ Next;
    INSERT INTO RETURN VALUES (oldest());
  }
  EXPIRE: { } /* expired tuples are removed automatically */
}
"""

AVG_AS_IT_EXPIRES = """
CREATE WINDOW AGGREGATE avg(Next Real) : Real
{
  TABLE state(tsum Real, cnt Int);
  TABLE inwindow(wnext Real);
  INITIALIZE : { INSERT INTO state VALUES (Next, 1); }
  ITERATE : { UPDATE state SET tsum=tsum+Next, cnt=cnt+1; }
  EXPIRE: { /*when there are expired tuples take the oldest*/
    UPDATE state
      SET cnt= cnt-1, tsum = tsum - oldest().wnext;
    INSERT INTO RETURN
      SELECT tsum/cnt FROM state; }
}
"""

MAX_AS_PRINTED = """
CREATE ALGEBRAIC WINDOW AGGREGATE
  max (Next Real): Real
{ TABLE inwindow(wnext real);
  INITIALIZE : {
    INSERT INTO RETURN VALUES (Next);
  } /* new tuples added to inwindow automatically */
  ITERATE : {
    DELETE FROM inwindow WHERE wnext ≤ Next;
  }
  EXPIRE: { /*expired tuples removed automatically*/
    INSERT INTO RETURN VALUES (oldest()) }
}
"""

# Described in the text, not printed: the group number of section 7's example 17, the alarm of section 5.4.
PRODUCT_GROUP = """
CREATE AGGREGATE product_group(tagtime Timestamp) : Int
{
  TABLE last(seen Timestamp, number Int);
  INITIALIZE : {
    INSERT INTO last VALUES (tagtime, 1);
    INSERT INTO RETURN VALUES (1);
  }
  ITERATE : {
    UPDATE last SET number = number + 1 WHERE tagtime - seen > INTERVAL 2 SECONDS;
    UPDATE last SET seen = tagtime;
    INSERT INTO RETURN SELECT number FROM last;
  }
}
"""

NO_BID = """
CREATE WINDOW AGGREGATE no_bid(price Real) : char(20)
{
  INITIALIZE: ITERATE: { }
  EXPIRE: {
    INSERT INTO RETURN SELECT 'no bid for 5 minutes' FROM inwindow HAVING count(*) = 1;
  }
}
"""

ITEM_ALARM = """
AGGREGATE item_alarm(tagid, tagtype, tagtime):char
{
TABLE inwindow(tid, ttype, ttime);
INITIALIZE: ITERATE: {
DELETE FROM inwindow
WHERE tagtype = 'ap' AND ttype = 'item';
DELETE FROM inwindow
WHERE tagtype = 'item' AND ttype = 'item' AND EXISTS
(SELECT tid FROM inwindow WHERE ttype = 'ap'); }
EXPIRE: {
INSERT INTO RETURN VALUES ('larceny alarm')
WHERE tagtype = 'item' AND NOT EXISTS
(SELECT tid FROM inwindow WHERE ttype='ap'); }
}
"""

SUM = """
CREATE ALGEBRAIC WINDOW AGGREGATE total(next Real) : Real
{
  TABLE state(total Real);
  INITIALIZE : { INSERT INTO state VALUES (next); }
  ITERATE : { UPDATE state SET total = total + next; }
  EXPIRE: { UPDATE state SET total = total - next; }
  TERMINATE : { INSERT INTO RETURN SELECT total FROM state; }
}
"""
