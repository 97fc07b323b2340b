"""The page on scale reckons with the rates of the records, and with nothing else."""

from results import records, scale


def test_costs_follow_from_the_rates(tmp_path):
    assert "Not measured yet" in scale.cost(tmp_path) and "Not measured yet" in scale.bends(tmp_path)
    made = {"clean": True, "rows": [{"states per second": rate} for rate in (4e6, 1e6, 2e6, 1e5, 1e4)]}
    records.append(tmp_path / "speed.jsonl", {"benchmark": "scale", **made})
    records.append(tmp_path / "speed.jsonl", {"benchmark": "symmetric_ntuple", "clean": True, "rows": [{"nodes/s": 1e6}]})
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in scale.cost(tmp_path).splitlines()[2:]]
    assert len(lines) == 15
    # 10^9 states at 10^4 a second: 27.8 core hours, 26 minutes of 64 cores, at 0.04 dollars.
    assert lines[4] == ["10^9", "DAVI trained on them", "28", "26 min", "", "$1.1"]
    # 10^12 at 10^6: 278 core hours, 4.3 of 64 cores; 11.1 dollars, and 1,000 GB for that long at half a cent: 21.7.
    assert lines[11][2:] == ["278", "4.3 h", "1,000 GB", "$33"]


def test_what_a_layer_sends_is_what_the_simulation_counts(tmp_path):
    test_costs_follow_from_the_rates(tmp_path)
    found = [line for line in scale.bends(tmp_path).splitlines() if line.startswith("| 10^9 | 2 ")]
    # 3 * 10^9 children, half of them sent with 24 bytes; the best 10^9 of each of two, with 8 bytes.
    assert found[0].split(" | ")[2:4] == ["36 GB", "16 GB"]
