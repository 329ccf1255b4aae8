"""What a Strategy that learns on the way is made of."""
