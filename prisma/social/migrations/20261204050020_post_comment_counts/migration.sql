-- Comments from before there was a count. How many there are that triggers did not count is the same at any time, so it is added to
-- the count as it is by then: people comment meanwhile, and wait only for posts that were changed here.
UPDATE post SET comment_count = post.comment_count + uncounted.comments
FROM (
  SELECT id, coalesce(max(counted.comments), 0) - max(comment_count) AS comments
  FROM post LEFT JOIN (SELECT post_id, count(*) AS comments FROM comment GROUP BY post_id) AS counted ON counted.post_id = id
  GROUP BY id
) AS uncounted
WHERE post.id = uncounted.id AND uncounted.comments <> 0;
