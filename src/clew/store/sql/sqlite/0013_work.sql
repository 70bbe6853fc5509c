-- Sessions in which turns change or check files, so that nothing else is read to find them.

ALTER TABLE mention ADD COLUMN session TEXT;
CREATE INDEX mention_session ON mention (space, session, ordinal) WHERE session IS NOT NULL;
