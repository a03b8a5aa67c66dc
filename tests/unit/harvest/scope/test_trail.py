from armarium.harvest.scope.facts import Trail, trail


def test_a_seed_has_no_trail() -> None:
    assert trail("") == Trail(0, 0, 0, 0, prerequisite=False)


def test_redirects_and_prerequisites_do_not_count() -> None:
    assert trail("LRLRR") == Trail(2, 2, 0, 0, prerequisite=False)
    assert trail("LP") == Trail(1, 1, 0, 0, prerequisite=True)


def test_embeds_are_counted_since_the_last_page() -> None:
    assert trail("EELEXRI") == Trail(6, 1, 3, 1, prerequisite=False)
    assert trail("EM") == Trail(2, 1, 0, 0, prerequisite=False)


def test_letters_that_nobody_knows_lead_to_pages() -> None:
    assert trail("ES").links == 1
