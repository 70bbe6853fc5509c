-- Until when a fact can be current, beside the keys by which it is found, so that what is over is not read.

ALTER TABLE fact_key ADD COLUMN until bigint;
