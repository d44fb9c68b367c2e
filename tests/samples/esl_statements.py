"""The statements of the ESL paper as they are printed, by the number of their example.

What is changed: in example 15 the alias stands behind the window, as in SQL (printed: ``sum(bid.price) AS s OVER (...)``).
"""

EXAMPLE_1 = """
CREATE STREAM OpenAuction (itemID int,
    sellerID char(10), price real, start_time timestamp)
    ORDER BY start_time; /* external timestamps */
    SOURCE 'port4445';

CREATE STREAM ClosedAuction(itemID int,
    buyerID char(10), price real, current_time timestamp)
    ORDER BY current_time; /* internal timestamp */
    SOURCE 'port4446';

CREATE STREAM Bid(itemID int,
    price real, bidderID char(10), bid_time timestamp)
    SOURCE 'port4447';
"""

EXAMPLE_2 = """
SELECT itemID, sellerID, price, start_time
    FROM OpenAuction WHERE price > 1000
"""

EXAMPLE_3 = """
CREATE STREAM expensiveItems AS
    SELECT itemID, sellerID, price, start_time
    FROM OpenAuction WHERE price > 1000
"""

EXAMPLE_4 = "SELECT decay_online_avg(price) FROM ClosedAuction"

EXAMPLE_5 = """
SELECT itemID, sellerID, price, min(price) OVER (PARTITION BY
SellerID RANGE UNBOUNDED PRECEDING)
AS Price FROM OpenAuction
"""

EXAMPLE_6 = """
CREATE STREAM PriceRise(itemID, price, Time) AS
SELECT itemID, price, start_time FROM OpenAuction
UNION ALL
SELECT itemID, price, current_time FROM ClosedAuction
"""

EXAMPLE_9 = """
CREATE STREAM AskdPrice AS
  SELECT sellerID, decay_online_avg(price) AS avg_price
  FROM OpenAuction GROUP BY sellerID
"""

EXAMPLE_14 = """
SELECT itemID, sum(bid.price)
OVER(PARTITION BY itemID
ROWS 49 PRECEDING SLIDE 10)
FROM Bid
"""

EXAMPLE_15 = """
CREATE STREAM temp AS (
  SELECT itemID, sum(bid.price)
    OVER(PARTITION BY itemID ROWS 9
         PRECEDING SLIDE 10) AS s
  FROM Bid);
SELECT itemID, sum(s)
  OVER(PARTITION BY itemID ROWS 4 PRECEDING)
FROM temp
"""

EXAMPLE_18 = """
CREATE STREAM larceny-in-progress AS (
SELECT tagid, tagtime, item_alarm(tagid, tagtype, tagtime) OVER
(RANGE 5 SECONDS PRECEDING ACTIVE EXPIRATION)
FROM tag_readings);
"""
