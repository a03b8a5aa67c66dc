"""Networks: ranges of addresses with a name, such as the reading rooms of the library.

Comes in: what staff enter, and the address from which somebody reads.
Goes out: the numbers of the networks in which it lies, of which rules and figures of use speak.
It must never forget a network of which a rule speaks: such a rule would hold for nobody, or for too many.
"""
