"""The steps of an assembly: read candidates, plan (pure), write out (pure), record."""
