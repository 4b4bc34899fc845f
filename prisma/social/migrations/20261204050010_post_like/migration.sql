-- Who likes which post.
CREATE TABLE post_like (
  post_id   bigint NOT NULL REFERENCES post ON DELETE CASCADE,
  author_id bigint NOT NULL REFERENCES "user" ON DELETE CASCADE,
  liked_at  timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (post_id, author_id)
);
CREATE INDEX post_like_of_author ON post_like (author_id);

-- What lists of posts are ordered by. Without a rewrite of the table: the defaults are constants.
ALTER TABLE post
  ADD COLUMN like_count integer NOT NULL DEFAULT 0,
  ADD COLUMN comment_count integer NOT NULL DEFAULT 0;

-- In the order of ids, so that two statements about the same posts do not wait for each other.
CREATE FUNCTION count_post_likes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE of_post bigint; change integer;
BEGIN
  FOR of_post, change IN SELECT post_id, count(*) FROM changed GROUP BY post_id ORDER BY post_id LOOP
    UPDATE post SET like_count = like_count + CASE TG_OP WHEN 'INSERT' THEN change ELSE -change END WHERE id = of_post;
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_inserted AFTER INSERT ON post_like REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_post_likes();
CREATE TRIGGER count_deleted AFTER DELETE ON post_like REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_post_likes();

CREATE FUNCTION count_post_comments() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE of_post bigint; change integer;
BEGIN
  FOR of_post, change IN SELECT post_id, count(*) FROM changed GROUP BY post_id ORDER BY post_id LOOP
    UPDATE post SET comment_count = comment_count + CASE TG_OP WHEN 'INSERT' THEN change ELSE -change END WHERE id = of_post;
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_inserted AFTER INSERT ON comment REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_post_comments();
CREATE TRIGGER count_deleted AFTER DELETE ON comment REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_post_comments();
