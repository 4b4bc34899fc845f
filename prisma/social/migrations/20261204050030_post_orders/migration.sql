-- Most liked and most commented posts.
CREATE INDEX post_most_liked ON post (like_count DESC, ordered_at DESC, id DESC) WHERE published_at IS NOT NULL;
CREATE INDEX post_most_commented ON post (comment_count DESC, ordered_at DESC, id DESC) WHERE published_at IS NOT NULL;
