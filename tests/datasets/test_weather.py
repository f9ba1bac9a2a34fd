import numpy as np

from privet.datasets import weather


def test_fourteen_days_fit_their_schema() -> None:
    table, schema = weather.table(), weather.schema()
    assert table.num_rows == 14
    assert table.column_names == schema.names == ["Outlook", "Humidity", "Wind", "Play"]
    for attribute in schema:
        attribute.encode(table[attribute.name])


def test_counts_are_those_of_the_thesis() -> None:
    table = weather.table()
    outlook = np.array(table["Outlook"].to_pylist())
    play = np.array(table["Play"].to_pylist())
    counted = {
        day: ((outlook == day) & (play == "Yes")).sum()
        for day in weather.schema()["Outlook"].values or ()
    }
    assert counted == {"Sunny": 2, "Overcast": 4, "Rain": 3}
    assert (outlook == "Rain").sum() == 5
    assert " ".join(play) == "No No Yes Yes Yes No Yes No Yes Yes Yes Yes Yes No"


def test_the_order_of_domains_is_that_of_the_universe() -> None:
    schema = weather.schema()
    assert [attribute.values for attribute in schema] == [
        ("Sunny", "Overcast", "Rain"),
        ("High", "Normal"),
        ("Strong", "Weak"),
        ("Yes", "No"),
    ]
