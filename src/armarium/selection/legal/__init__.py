"""Legal scope: why the library may, or may not, collect a site, with dated evidence that nobody can alter."""
