from armarium.accounts import keys, passwords


def test_a_hash_matches_its_password_alone() -> None:
    kept = passwords.hashed("correct horse")
    assert passwords.matches(kept, "correct horse")
    assert not passwords.matches(kept, "Correct horse")
    assert not passwords.matches(kept, "")
    assert kept != passwords.hashed("correct horse")
    assert not passwords.outdated(kept)


def test_without_a_hash_nothing_matches_not_even_the_password_for_nobody() -> None:
    assert not passwords.matches(None, "a password that opens nothing")


def test_keys_are_long_random_and_any_text_has_a_digest() -> None:
    assert len({keys.new_key() for _ in range(100)}) == 100
    assert len(keys.new_key()) >= 43
    assert len(keys.digest("é\udcff\0")) == 32
