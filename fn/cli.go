package fn
