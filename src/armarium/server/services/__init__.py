"""How each service is made, room by room; which are imported only when somebody asks for one of them."""
